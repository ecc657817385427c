/** Histories that were recorded with an earlier version of the workflow still replay: a running loop survives a deploy. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from '@temporalio/worker';
import { quietRuntime, workflowSource } from '../support/workflows';

const FOLDER = join(__dirname, 'histories');
const files = readdirSync(FOLDER);

beforeAll(quietRuntime);

it('R28: at least one history of every shape is recorded', () => {
  expect(files.length).toBeGreaterThanOrEqual(7);
});

it.each(files)('R28: replays %s', async (file) => {
  const history: unknown = JSON.parse(readFileSync(join(FOLDER, file), 'utf8'));
  await expect(Worker.runReplayHistory(workflowSource(), history)).resolves.toBeUndefined();
});
