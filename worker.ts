/** A worker process: config → app → worker → run; closes in reverse. */

import { loadConfig } from './src/agents/load-config';
import { runWorker } from './src/run-worker';
import { readEnvironment } from './src/config/environment';

const environment = readEnvironment();
runWorker(environment, loadConfig(environment.configFolder)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
