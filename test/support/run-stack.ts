// Runs a stack in a process of its own, so that a test can kill it: run-stack.ts DATA_FOLDER CACHE_FOLDER. Says what it does on standard output.

import { readDevEnvironment } from '../../src/config/dev-environment';
import { startStack } from '../../src/dev/stack';

async function run([dataFolder = '', cacheFolder = '']: readonly string[]): Promise<void> {
  const { PATH, TEMPORAL_CLI } = process.env;
  const stack = await startStack({
    dataFolder,
    cacheFolder,
    environment: readDevEnvironment({ PATH, TEMPORAL_CLI }),
    print: (line) => console.log(line),
    ports: 'free',
    headless: true,
    durable: false,
  });
  const stopped = new Promise((resolve) => process.once('SIGTERM', resolve));
  console.log(`READY ${stack.databaseUrl}`);
  await stopped;
  await stack.stop();
  console.log('STOPPED');
}

run(process.argv.slice(2)).catch((error: unknown) => {
  console.log(`FAILED ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
});
