/** A retry of a loop that waits: what waits is given up, and the step is asked for anew. */

import { retryTurn } from '../../../src/db/turns/end-turn';
import { readNextStep } from '../../../src/db/loops/read-next-step';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { claimToolCall } from '../../../src/db/tool-calls/claim-tool-call';
import { acceptedCall, claimCallOptions, claimTestTurn, loopInToolPhase, loopInTurn, loopRow } from '../../support/loops';
import { ask } from './states';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

it('R67: a turn in back-off has another generation and starts its failures anew', async () => {
  const turn = await loopInTurn(database.db);
  await retryTurn(database.db, { ...turn, errorMessage: 'HTTP 503', maximumFailures: 8 });
  const before = await loopRow(database.db, turn.loopId);
  const { answer } = await ask(database.db, turn.loopId, { verb: 'retry' });
  expect(answer).toMatchObject({ ok: true, effect: 'retried', status: 'queued' });
  const after = await loopRow(database.db, turn.loopId);
  expect(after).toMatchObject({ turn_failures: 0, turn_number: 1, generation: String(Number(before.generation) + 1) });
  expect(await readNextStep(database.db, turn.loopId)).toMatchObject({ isWantedAnew: true, next: { kind: 'turn', turnNumber: 1 } });
  const claim = await claimTestTurn(database.db, turn.loopId);
  expect(await readNextStep(database.db, claim.loop.id)).toMatchObject({ isWantedAnew: false });
});

it('R67: a tool call that waits is superseded, and its phase asked for under the new generation', async () => {
  const phase = await loopInToolPhase(database.db, [acceptedCall('add')]);
  const { answer } = await ask(database.db, phase.loopId, { verb: 'retry' });
  expect(answer).toMatchObject({ ok: true, effect: 'retried', status: 'running' });
  expect(await claimToolCall(database.db, claimCallOptions(phase, phase.callIds[0]))).toEqual({ kind: 'superseded' });
  const { next } = await readNextStep(database.db, phase.loopId);
  expect(next).toMatchObject({ kind: 'tools', calls: [{ id: phase.callIds[0] }] });
  expect(next.generation).not.toBe(phase.generation);
});
