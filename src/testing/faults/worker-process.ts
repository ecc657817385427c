/** The process of one worker under test: runs the engine with the given agents, and waits at each fault point until it may go on. */

import { createRequire } from 'node:module';
import { Context } from '@temporalio/activity';
import { Runtime } from '@temporalio/worker';
import { register } from 'tsx/cjs/api';
import { defineConfig, type SolidLoopConfig } from '../../agents/define-config';
import { createApp } from '../../app';
import { SolidLoopError } from '../../domain/errors';
import type { JsonObject } from '../../domain/loop';
import { createLogger, toTemporalLogger } from '../../events/log';
import { installFaultHook } from '../../util/fault-point';
import { workflowSource } from '../../workflow-source';
import type { FromWorker, ToWorker, WorkerPlan } from './worker-messages';

type ConfigExport = SolidLoopConfig | ((configArguments: JsonObject) => SolidLoopConfig);

const waiting = new Map<number, () => void>();
let lastNumber = 0;

async function run(plan: WorkerPlan): Promise<void> {
  const { configModule, configArguments, workflowBundle, maxCachedWorkflows, logLevel = 'silent', ...options } = plan;
  const logger = createLogger({ level: logLevel });
  Runtime.install({ logger: toTemporalLogger(logger), telemetryOptions: { logging: { forward: {}, filter: 'WARN' } } });
  installFaultHook(arrive);
  const app = await createApp({
    makeSchedule: false,
    ...options,
    config: loadConfig(configModule, configArguments ?? {}),
    logger,
    workflows: {
      ...(workflowBundle === undefined ? workflowSource() : { workflowBundle: { codePath: workflowBundle } }),
      ...(maxCachedWorkflows === undefined ? {} : { maxCachedWorkflows }),
    },
  });
  say({ kind: 'ready' });
  await app.run();
}

function loadConfig(path: string, configArguments: JsonObject): SolidLoopConfig {
  if (path.endsWith('.ts')) register();
  const { config } = createRequire(path)(path) as { readonly config?: ConfigExport };
  if (config === undefined)
    throw new SolidLoopError('ConfigError', `${path} exports no "config"; export a config, or a function that makes one`);
  return defineConfig(typeof config === 'function' ? config(configArguments) : config);
}

function arrive(point: string): Promise<void> {
  const { workflowExecution, activityId, attempt } = Context.current().info;
  lastNumber += 1;
  const number = lastNumber;
  const told = new Promise<void>((resolve) => waiting.set(number, resolve));
  say({ kind: 'arrived', number, point, workflowId: workflowExecution?.workflowId ?? '', activityId, attempt });
  return told;
}

/** A test that is gone answers nothing any more: this process ends too. */
function say(message: FromWorker): void {
  process.send?.(message, (error: Error | null) => error !== null && process.exit(1));
}

function hear(message: ToWorker): void {
  if (message.kind === 'go') {
    waiting.get(message.number)?.();
    waiting.delete(message.number);
    return;
  }
  run(message.plan).then(
    () => process.exit(0),
    (error: unknown) => {
      say({ kind: 'failed', error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
      process.exitCode = 1;
      process.disconnect();
    },
  );
}

if (require.main === module) {
  process.on('message', hear);
  process.on('disconnect', () => process.exit());
}
