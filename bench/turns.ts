/**
 * What a turn costs, beside the least that a hand-written loop on Temporal costs, in one run.
 * `npm run bench:turns -- [--turns 20] [--result 1000] [--loops 50] [--rounds 3]` with DATABASE_URL and TEMPORAL_ADDRESS (the stack of `npm start`).
 */

import { parseArgs } from 'node:util';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import * as engine from '../src/index';
import { openBaseline } from './baseline/subject';
import { compare, startFastModel } from './compare';
import { openSolidLoop } from './solid-loop-subject';

const { values } = parseArgs({
  options: {
    turns: { type: 'string', default: '20' },
    result: { type: 'string', default: '1000' },
    loops: { type: 'string', default: '50' },
    rounds: { type: 'string', default: '3' },
  },
});

async function main(): Promise<void> {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const work = { turns: Number(values.turns), loops: Number(values.loops), rounds: Number(values.rounds) };
  const model = await startFastModel(work.turns, Number(values.result));
  await compare(
    [await openBaseline(model.baseURL), await openSolidLoop(engine, { name: 'solidloop', baseURL: model.baseURL })],
    work,
  ).finally(model.stop);
}

void main();
