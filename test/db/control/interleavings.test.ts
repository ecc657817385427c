/** Steering under any interleaving of people and attempts, on real Postgres: nothing stranded, order kept, each message delivered once. */

import fc from 'fast-check';
import { claimTurn } from '../../../src/db/turns/claim-turn';
import { commitTurn } from '../../../src/db/turns/commit-turn';
import type { Database } from '../../../src/db/database';
import { releaseTurn, retryTurn } from '../../../src/db/turns/end-turn';
import { readNextStep } from '../../../src/db/loops/read-next-step';
import { settleToolCall } from '../../../src/db/tool-calls/respond-tool-call';
import { claimToolCall } from '../../../src/db/tool-calls/claim-tool-call';
import type { ControlRequest } from '../../../src/domain/control';
import { isSolidLoopError } from '../../../src/domain/errors';
import type { Generation, LoopId } from '../../../src/domain/ids';
import type { ParsedCall } from '../../../src/domain/turn';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import {
  acceptedCall,
  anyAnswer,
  claimCallOptions,
  claimOptions,
  loopRow,
  messageRows,
  openTestLoop,
  unresolvedIds,
} from '../../support/loops';
import { ask } from './states';

const ACTS = [
  'claim',
  'commit',
  'commitCalls',
  'runTool',
  'fail',
  'release',
  'steer',
  'interrupt',
  'pause',
  'pauseLater',
  'resume',
  'stop',
  'stopLater',
  'reopen',
  'freeze',
  'unfreeze',
] as const;
type Act = (typeof ACTS)[number];

const REQUESTS: Partial<Record<Act, (text: string) => ControlRequest>> = {
  steer: (message) => ({ verb: 'steer', message }),
  interrupt: (message) => ({ verb: 'steer', message, interrupt: true }),
  pause: () => ({ verb: 'pause' }),
  pauseLater: () => ({ verb: 'pause', when: 'afterStep' }),
  resume: () => ({ verb: 'resume' }),
  stop: () => ({ verb: 'stop' }),
  stopLater: () => ({ verb: 'stop', when: 'afterStep' }),
  reopen: (message) => ({ verb: 'reopen', message }),
  freeze: () => ({ verb: 'freeze' }),
  unfreeze: () => ({ verb: 'unfreeze' }),
};

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** One loop with its attempts, and what people were told was accepted. */
class World {
  readonly accepted: string[] = [];
  #texts = 0;
  #held: { readonly turnNumber: number; readonly generation: Generation } | undefined;

  constructor(
    readonly db: Database,
    readonly loopId: LoopId,
  ) {}

  async act(act: Act): Promise<void> {
    const request = REQUESTS[act];
    if (request !== undefined) return this.#control(request(`text ${++this.#texts}`));
    await this.#attempt(act).catch((error: unknown) => {
      if (!isSolidLoopError(error, 'LostLease') && !isSolidLoopError(error, 'ToolStillRunning')) throw error;
    });
  }

  /** Nobody disturbs any more: the loop goes on until it ends. */
  async finish(): Promise<void> {
    for (const act of ['unfreeze', 'resume'] as const) await this.act(act);
    if ((await loopRow(this.db, this.loopId)).requested !== null) await this.act('resume');
    if (['cancelled', 'failed'].includes((await loopRow(this.db, this.loopId)).status)) await this.act('reopen');
    for (let step = 0; step < 40; step += 1) {
      const { next } = await readNextStep(this.db, this.loopId);
      if (next.kind === 'done') return;
      if (next.kind === 'turn') {
        await this.act('claim');
        await this.act('commit');
      } else await this.act('runTool');
    }
    throw new Error('the loop did not come to its end');
  }

  async #control(request: ControlRequest): Promise<void> {
    const { answer } = await ask(this.db, this.loopId, request);
    if (answer.ok && answer.messageId !== undefined) this.accepted.push(answer.messageId);
  }

  async #attempt(act: Act): Promise<void> {
    const { db, loopId } = this;
    const held = this.#held && { loopId, ...this.#held };
    if (act === 'claim') return this.#claim();
    if (act === 'runTool') return this.#runTool();
    if (held === undefined) return;
    if (act === 'commit') await commitTurn(db, { ...held, answer: anyAnswer() });
    if (act === 'commitCalls') await commitTurn(db, { ...held, answer: anyAnswer({ content: null, calls: this.#calls() }) });
    if (act === 'fail') await retryTurn(db, { ...held, errorMessage: 'HTTP 500', maximumFailures: 3 });
    if (act === 'release') await releaseTurn(db, held);
  }

  #calls(): ParsedCall[] {
    return [acceptedCall('one', { effect: 'read' }), acceptedCall('two', { effect: 'idempotent' })];
  }

  async #claim(): Promise<void> {
    const { next } = await readNextStep(this.db, this.loopId);
    if (next.kind !== 'turn') return;
    const claim = await claimTurn(this.db, claimOptions(this.loopId, { turnNumber: next.turnNumber }));
    if (claim.kind === 'claimed') this.#held = { turnNumber: next.turnNumber, generation: claim.generation };
  }

  async #runTool(): Promise<void> {
    const { next } = await readNextStep(this.db, this.loopId);
    const [callId] = await unresolvedIds(this.db, this.loopId);
    if (next.kind !== 'tools' || callId === undefined) return;
    const { generation } = next;
    const claim = await claimToolCall(this.db, claimCallOptions({ generation }, callId));
    if (claim.kind !== 'claimed') return;
    const outcome = { result: 'done', isSuccess: true, durationSeconds: 0 };
    await settleToolCall(this.db, { callId, generation, claimNumber: claim.claimNumber, outcome, content: 'done' });
  }
}

async function expectWholeTranscript({ db, loopId, accepted }: World): Promise<void> {
  const rows = (await messageRows(db, loopId)).filter((row) => row.seq !== null && !row.is_hidden);
  const users = rows.filter((row) => row.role === 'user').map((row) => row.id);
  expect([...users].sort((a, b) => Number(a) - Number(b))).toEqual(users);
  expect(users.slice(1)).toEqual([...accepted].sort((a, b) => Number(a) - Number(b)));
  expect((await messageRows(db, loopId)).filter((row) => row.status === 'pending')).toEqual([]);
  rows.forEach((row, index) => {
    if (row.role === 'tool') expect(['assistant', 'tool']).toContain(rows[index - 1]?.role);
  });
  expect(await unresolvedIds(db, loopId)).toEqual([]);
}

it('R37, R38, R60, R61, R62, R63, R65: any interleaving strands no message, keeps their order and delivers each once', async () => {
  const moments = fc.array(fc.array(fc.constantFrom(...ACTS), { minLength: 1, maxLength: 3 }), { minLength: 4, maxLength: 18 });
  await fc.assert(
    fc.asyncProperty(moments, async (schedule) => {
      const world = new World(database.db, await openTestLoop(database.db));
      for (const atOnce of schedule) await Promise.all(atOnce.map((act) => world.act(act)));
      await world.finish();
      await expectWholeTranscript(world);
    }),
    { numRuns: 60 },
  );
}, 180_000);
