/** Every way in which an attempt can lose its fences, against every transaction that it may still try: nothing is written. */

import { checkpointToolCall } from '../../src/db/tool-calls/checkpoint-tool-call';
import { claimToolCall } from '../../src/db/tool-calls/claim-tool-call';
import { claimTurn } from '../../src/db/turns/claim-turn';
import { closeLoop } from '../../src/db/loops/close-loop';
import { commitTurn } from '../../src/db/turns/commit-turn';
import { failTurn, releaseTurn, retryTurn } from '../../src/db/turns/end-turn';
import { failToolCall, releaseToolCall } from '../../src/db/tool-calls/fail-tool-call';
import { respondToolCall, settleToolCall } from '../../src/db/tool-calls/respond-tool-call';
import { updateShell } from '../../src/db/turns/shell';
import { createTestDatabase, type TestDatabase } from '../support/database';
import {
  acceptedCall,
  addPendingMessage,
  anyAnswer,
  claimCallOptions,
  claimOptions,
  claimTestCall,
  claimTestTurn,
  expectNothingWritten,
  freezeTestLoop,
  loopInToolCall,
  loopInTurn,
  pauseTestLoop,
  putAtRest,
  resumeTestLoop,
  spendOf,
  type TestCall,
  type TestTurn,
} from '../support/loops';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

type Disruption<Held> = readonly [name: string, disrupt: (held: Held) => Promise<unknown>];

const answer = () =>
  anyAnswer({ calls: [acceptedCall('late')], usage: { prompt: 1, completion: 1, total: 2, promptCached: 0, reasoning: 0 } });
const failed = { kind: 'failed', code: 'InternalError', message: 'late', durationSeconds: 1 } as const;
const contextLimit = { kind: 'context-limit', message: 'late', durationSeconds: 1 } as const;

const endsOfLoop: readonly Disruption<{ readonly loopId: TestTurn['loopId'] }>[] = [
  ['was paused', ({ loopId }) => pauseTestLoop(test.db, loopId)],
  ['was frozen', ({ loopId }) => freezeTestLoop(test.db, loopId)],
  ['was stopped', ({ loopId }) => putAtRest(test.db, loopId, { status: 'cancelled' })],
  ['failed', ({ loopId }) => putAtRest(test.db, loopId, { status: 'failed', errorCode: 'InternalError', errorMessage: 'x' })],
  ['was paused and resumed', ({ loopId }) => pauseTestLoop(test.db, loopId).then(() => resumeTestLoop(test.db, loopId))],
];

const turnDisruptions: readonly Disruption<TestTurn>[] = [
  ...endsOfLoop,
  ['was taken over', ({ loopId }) => claimTestTurn(test.db, loopId)],
  [
    'was paused, resumed and claimed',
    ({ loopId }) =>
      pauseTestLoop(test.db, loopId)
        .then(() => resumeTestLoop(test.db, loopId))
        .then(() => claimTestTurn(test.db, loopId)),
  ],
  ['was committed', (turn) => commitTurn(test.db, { ...turn, answer: anyAnswer() })],
  ['was committed with calls', (turn) => commitTurn(test.db, { ...turn, answer: anyAnswer({ calls: [acceptedCall('a')] }) })],
  [
    'was committed and the next turn claimed',
    async (turn) => {
      await addPendingMessage(test.db, turn.loopId);
      await commitTurn(test.db, { ...turn, answer: anyAnswer() });
      await claimTestTurn(test.db, turn.loopId, { turnNumber: 2 });
    },
  ],
  ['was queued after a failure', (turn) => retryTurn(test.db, { ...turn, errorMessage: 'HTTP 503', maximumFailures: 8 })],
];

const turnWrites = {
  commitTurn: (turn: TestTurn) => commitTurn(test.db, { ...turn, answer: answer(), discarded: spendOf('1') }),
  failTurn: (turn: TestTurn) => failTurn(test.db, { ...turn, failure: failed, discarded: spendOf('1') }),
  'failTurn with a full context': (turn: TestTurn) => failTurn(test.db, { ...turn, failure: contextLimit }),
  retryTurn: (turn: TestTurn) => retryTurn(test.db, { ...turn, errorMessage: 'late', maximumFailures: 8, discarded: spendOf('1') }),
  'retryTurn for the last time': (turn: TestTurn) =>
    retryTurn(test.db, { ...turn, errorMessage: 'late', maximumFailures: 1, discarded: spendOf('1') }),
  releaseTurn: (turn: TestTurn) => releaseTurn(test.db, { ...turn, discarded: spendOf('1') }),
  updateShell: (turn: TestTurn) => updateShell(test.db, { ...turn, shellId: turn.shellId!, content: 'late', reasoning: '' }),
  closeLoop: (turn: TestTurn) => closeLoop(test.db, { ...turn, code: 'InternalError', reason: 'late' }),
  'claimTurn of an older attempt': (turn: TestTurn) => claimTurn(test.db, claimOptions(turn.loopId, { attemptScheduledMs: 1 })),
};

describe.each(turnDisruptions)('a turn that %s', (_name, disrupt) => {
  let turn: TestTurn;
  beforeAll(async () => {
    turn = await loopInTurn(test.db);
    await disrupt(turn);
  });
  it.each(Object.entries(turnWrites))('R4, R17, R24, R26: %s by its stale attempt writes nothing at all', async (_write, write) => {
    await expectNothingWritten<unknown>(test.db, () => write(turn));
  });
});

it.each(Object.entries(turnWrites).filter(([name]) => name !== 'closeLoop'))(
  'R58: %s by an attempt that gave its turn back writes nothing at all',
  async (_write, write) => {
    const turn = await loopInTurn(test.db);
    await releaseTurn(test.db, turn);
    await expectNothingWritten<unknown>(test.db, () => write(turn));
  },
);

const takenCall: Disruption<TestCall> = ['was taken by a later claim', (call) => claimTestCall(test.db, call, call.callId)];

const callDisruptions: readonly Disruption<TestCall>[] = [
  ...endsOfLoop,
  takenCall,
  ['was answered', (call) => respondToolCall(test.db, { ...call, content: 'first' })],
  [
    'lost its loop to a failing sibling',
    async (call) => {
      const { claimNumber } = await claimTestCall(test.db, call, call.callIds[1]!);
      await failToolCall(test.db, {
        callId: call.callIds[1]!,
        generation: call.generation,
        claimNumber,
        errorCode: 'ToolFailed',
        errorMessage: 'x',
      });
    },
  ],
  [
    'was paused, resumed and claimed',
    async (call) => {
      await pauseTestLoop(test.db, call.loopId);
      await claimTestCall(test.db, await resumeTestLoop(test.db, call.loopId), call.callId);
    },
  ],
];

const outcome = { result: 'late', isSuccess: true, durationSeconds: 9 };

/** Everything but the checkpoint, which needs no generation (R54). */
const callWrites = {
  respondToolCall: (call: TestCall) => respondToolCall(test.db, { ...call, content: 'late' }),
  failToolCall: (call: TestCall) => failToolCall(test.db, { ...call, errorCode: 'ToolFailed', errorMessage: 'late' }),
  releaseToolCall: (call: TestCall) => releaseToolCall(test.db, { ...call, wasEntered: false }),
  'claimToolCall of an older attempt': (call: TestCall) =>
    claimToolCall(test.db, claimCallOptions(call, call.callId, { attemptScheduledMs: 1 })),
};

describe.each(callDisruptions)('a tool call that %s', (_name, disrupt) => {
  let call: TestCall;
  beforeAll(async () => {
    call = await loopInToolCall(test.db, [acceptedCall('a', { effect: 'idempotent' }), acceptedCall('b')]);
    await disrupt(call);
  });
  it.each(Object.entries(callWrites))('R4, R21, R24, R56, R58: %s by its stale attempt writes nothing at all', async (_write, write) => {
    await expectNothingWritten<unknown>(test.db, () => write(call));
  });
});

describe(`a repeatable tool call that ${takenCall[0]}`, () => {
  const checkpointWrites = {
    checkpointToolCall: (call: TestCall) => checkpointToolCall(test.db, { ...call, outcome, stateChanges: [{ late: true }] }),
    settleToolCall: (call: TestCall) => settleToolCall(test.db, { ...call, outcome, content: 'late', stateChanges: [{ late: true }] }),
  };
  it.each(Object.entries(checkpointWrites))('R21, R54: %s by its stale attempt writes nothing at all', async (_write, write) => {
    const call = await loopInToolCall(test.db, [acceptedCall('a', { effect: 'idempotent' })]);
    await takenCall[1](call);
    expect(await expectNothingWritten<unknown>(test.db, () => write(call))).toMatchObject({ code: 'LostLease' });
  });
});
