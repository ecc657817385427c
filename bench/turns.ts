/**
 * What a turn costs, in one run beside the least that a hand-written loop on Temporal costs, or beside another tree of this package.
 * `npm run bench:turns -- [--turns 20] [--result 1000] [--loops 50] [--rounds 3] [--beside <tree> --as <name>]` with DATABASE_URL and TEMPORAL_ADDRESS (the stack of `npm start`).
 */

import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import * as engine from '../src/index';
import { openBaseline } from './baseline/subject';
import { compare, startFastModel, type Subject } from './compare';
import { openSolidLoop } from './solid-loop-subject';

const { values } = parseArgs({
  options: {
    turns: { type: 'string', default: '20' },
    result: { type: 'string', default: '1000' },
    loops: { type: 'string', default: '50' },
    rounds: { type: 'string', default: '3' },
    beside: { type: 'string' },
    as: { type: 'string', default: 'the other tree' },
  },
});

async function main(): Promise<void> {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const work = { turns: Number(values.turns), loops: Number(values.loops), rounds: Number(values.rounds) };
  const model = await startFastModel(work.turns, Number(values.result));
  await compare([await openOther(model.baseURL), await openSolidLoop(engine, { name: 'solidloop', baseURL: model.baseURL })], work).finally(
    model.stop,
  );
}

async function openOther(baseURL: string): Promise<Subject> {
  if (values.beside === undefined) return openBaseline(baseURL);
  const other = (await import(join(values.beside, 'src/index'))) as typeof engine;
  return openSolidLoop(other, { name: values.as, baseURL });
}

void main();
