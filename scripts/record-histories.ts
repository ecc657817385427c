/** Records a history of each shape that a loop's workflow can have, for the replay tests: `npm run record-histories`. Needs the tests' stack. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import { version } from '@temporalio/workflow/package.json';
import { recordShapes } from '../test/workflows/shapes';

const PROJECT = join(__dirname, '..');
const FOLDER = join(PROJECT, 'test', 'workflows', 'histories');

async function main(): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  for await (const { name, history } of recordShapes()) {
    writeFileSync(join(FOLDER, `${name}.${version}.json`), `${historyToJSON(history).replaceAll(PROJECT, '.')}\n`);
    process.stdout.write(`${name}: ${history.events?.length ?? 0} events\n`);
  }
}

void main();
