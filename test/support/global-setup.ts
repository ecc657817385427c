/** Before all tests: the servers that are given, or an embedded stack for this run; the workflows bundled once. */

import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { readDevEnvironment } from '../../src/config/dev-environment';
import { findTemporalCli } from '../../src/dev/temporal-cli';
import { startStack } from '../../src/dev/stack';
import { keepTestStack } from './test-stack';

const PROJECT = resolve(__dirname, '../..');
const WORKFLOWS = join(PROJECT, 'src/workflows/index.ts');

interface JestConfig {
  /** The paths of the command line. */
  readonly nonFlagArgs: readonly string[];
}

// Jest wants a default export here.
export default async function setUp({ nonFlagArgs }: JestConfig): Promise<void> {
  // Unit tests need nothing: alone they start at once.
  const areUnitTests = nonFlagArgs.length > 0 && nonFlagArgs.every((path) => path.includes('test/unit'));
  if (areUnitTests) return;
  await openStack();
  process.env.SOLIDLOOP_TEST_BUNDLE = await bundleWorkflows();
}

/** What is set in this process' environment here, the processes of the tests inherit. */
async function openStack(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'solidloop-test-'));
  // Postgres may run as another user, which must be able to enter.
  await chmod(folder, 0o755);
  const stack = await startStack({
    dataFolder: folder,
    cacheFolder: join(PROJECT, '.cache'),
    environment: readDevEnvironment(),
    print: (line) => process.stderr.write(`${line}\n`),
    headless: true,
    ports: 'free',
    durable: false,
  });
  keepTestStack({ stack, folder });
  // Without a handler Ctrl-C would end this process at once, and its servers, in groups of their own, would run on.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  process.env.TEMPORAL_CLI ??= await findCli();
  process.env.DATABASE_URL = stack.databaseUrl;
  process.env.TEMPORAL_ADDRESS = stack.temporalAddress;
}

/** Some tests drive loops by Temporal's own CLI. */
async function findCli(): Promise<string> {
  const { temporalCli, searchPath } = readDevEnvironment();
  const { command } = await findTemporalCli({ temporalCli, searchPath, cacheFolder: join(PROJECT, '.cache'), print: () => undefined });
  return command;
}

async function bundleWorkflows(): Promise<string> {
  const file = join(PROJECT, 'test/.stack/workflow-bundle.js');
  if (!existsSync(WORKFLOWS)) throw new Error(`there are no workflows at ${WORKFLOWS}`);
  const { code } = await bundleWorkflowCode({ workflowsPath: WORKFLOWS, logger: new DefaultLogger('ERROR') });
  await mkdir(join(PROJECT, 'test/.stack'), { recursive: true });
  await writeFile(file, code);
  return file;
}
