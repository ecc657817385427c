/** The measurement of `run.mjs`: `--copy` is the tree of the engine without fences. */

import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import * as engine from '../../src/index';
import { compare, startFastModel } from '../compare';
import { openSolidLoop } from '../solid-loop-subject';

const { values } = parseArgs({
  options: {
    copy: { type: 'string', default: '' },
    turns: { type: 'string', default: '20' },
    loops: { type: 'string', default: '50' },
    rounds: { type: 'string', default: '3' },
  },
});

async function main(): Promise<void> {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const work = { turns: Number(values.turns), loops: Number(values.loops), rounds: Number(values.rounds) };
  const { baseURL, stop } = await startFastModel(work.turns, 1000);
  const bare = (await import(join(values.copy, 'src/index'))) as typeof engine;
  await compare(
    [await openSolidLoop(bare, { name: 'without fences', baseURL }), await openSolidLoop(engine, { name: 'with fences', baseURL })],
    work,
  ).finally(stop);
}

void main();
