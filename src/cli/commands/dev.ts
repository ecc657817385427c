/** `solidloop dev`: everything on this machine, by one command; with a prompt also one loop, whose result is the exit code. */

import type { Command } from 'commander';
import { SolidLoopError } from '../../domain/errors';
import type { CommandRunner } from '../command-runner';
import { addCommonOptions, type CommonOptions, environmentOf } from '../connection';
import type { DevSession } from '../dev-session';
import { EXIT } from '../render/format-error';
import { formatReady } from '../render/format-ready';
import { readMessage } from '../start-options';
import { watchLoop } from '../watch-loop';
import { loadWithDevSession } from '../worker-side';

interface DevOptions extends CommonOptions {
  readonly agent?: string;
  readonly data?: string;
}

export function addDevCommand(program: Command, runner: CommandRunner): void {
  addCommonOptions(program.command('dev'))
    .description('start Postgres, Temporal, a model and a worker on this machine; with a prompt, run one loop and end with its result')
    .argument('[prompt...]', 'the first message of a loop; - reads it from standard input')
    .option('--agent <name>', 'who answers the prompt (default: the first of the config)')
    .option('--data <folder>', 'where the data is kept (SOLIDLOOP_DATA)')
    .action((words: readonly string[], options: DevOptions) =>
      runner.run(options, async () => {
        const given = environmentOf(runner.context, options);
        const environment = { ...given, dataFolder: options.data ?? given.dataFolder };
        const startedAt = performance.now();
        const prompt = words.length === 0 ? undefined : await readPrompt(runner, words);
        return runner.context.withInterrupt((signal) =>
          loadWithDevSession()(runner.context, { environment, signal }, (session) => {
            if (prompt !== undefined) return answer(runner, session, { prompt, options, signal });
            const seconds = (performance.now() - startedAt) / 1000;
            return serve(runner, session, { seconds, dataFolder: environment.dataFolder, options });
          }),
        );
      }),
    );
}

/** Refused before anything is started for it. */
async function readPrompt(runner: CommandRunner, words: readonly string[]): Promise<string> {
  const prompt = await readMessage(runner.context, words.join(' '));
  if (prompt.trim() === '')
    throw new SolidLoopError('InvalidInput', 'the prompt is empty; write what the model should read', { field: 'message' });
  return prompt;
}

interface ServeOptions {
  readonly seconds: number;
  readonly dataFolder: string;
  readonly options: DevOptions;
}

/** Until Ctrl-C. Beside a stack that runs already there is nothing to serve. */
async function serve(
  runner: CommandRunner,
  { stack, config, isJoined, ended }: DevSession,
  { seconds, dataFolder, options }: ServeOptions,
): Promise<number> {
  const { terminal, developerCommand } = runner.context;
  const { databaseUrl, temporalAddress, uiUrl, model } = stack;
  const ready = {
    ...{
      agents: config.agents.map((agent) => agent.name),
      databaseUrl,
      temporalAddress,
      dataFolder,
      seconds,
      command: developerCommand,
      isOurs: !isJoined,
    },
    ...(model === undefined ? {} : { model: model.note }),
    ...(uiUrl === undefined ? {} : { uiUrl }),
  };
  runner.print(options, ready, () => formatReady(ready, terminal.paint));
  if (!isJoined) await ended;
  return EXIT.completed;
}

interface AnswerOptions {
  readonly prompt: string;
  readonly options: DevOptions;
  readonly signal: AbortSignal;
}

async function answer(
  runner: CommandRunner,
  { stack, config, ended }: DevSession,
  { prompt, options, signal }: AnswerOptions,
): Promise<number> {
  const agents = config.agents.map((agent) => agent.name);
  const agent = options.agent ?? agents[0];
  if (agent === undefined)
    throw new SolidLoopError('ConfigError', 'the config has no agent; add one with defineAgent', { field: 'agents' });
  const { databaseUrl, temporalAddress, temporalNamespace: namespace } = stack;
  const { taskQueue } = environmentOf(runner.context, options);
  const client = await runner.context.connect({ databaseUrl, temporalAddress, namespace, taskQueue, agents });
  try {
    const { loopId } = await client.start({ agent, message: prompt });
    return await Promise.race([watchLoop(runner, { client, loop: loopId, options, signal }), workerEnd(ended, signal)]);
  } finally {
    await client.close();
  }
}

/** A worker that ends before the loop is a fault, unless a person asked for the end. */
async function workerEnd(ended: Promise<void>, signal: AbortSignal): Promise<number> {
  await ended;
  if (!signal.aborted) throw new SolidLoopError('InternalError', 'the worker ended before the loop; see the lines above');
  return EXIT.interrupted;
}
