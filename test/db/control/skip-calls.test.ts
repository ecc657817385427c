/** Going on past calls that nobody wants run any more: each is answered, and the transcript is valid (R68). */

import { controlLoop } from '../../../src/db/control/control-loop';
import { findMessages } from '../../../src/db/repositories/messages.repository';
import { NOT_RUN_TEXT, UNKNOWN_OUTCOME_TEXT } from '../../../src/domain/tool-call';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { acceptedCall, claimTestCall, loopInToolPhase } from '../../support/loops';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const contents = async (loopId: string) =>
  (await findMessages(test.db, { loopId: loopId as never })).filter(({ role }) => role === 'tool').map(({ content }) => content);

it('R68: a stopped loop is reopened without running its calls, and the model is told what became of each', async () => {
  const phase = await loopInToolPhase(test.db, [acceptedCall('pay', { effect: 'unsafe' }), acceptedCall('mail', { effect: 'unsafe' })]);
  await claimTestCall(test.db, phase, phase.callIds[0]);
  await controlLoop(test.db, phase.loopId, { verb: 'stop', key: 'stop' });
  const { answer } = await controlLoop(test.db, phase.loopId, {
    verb: 'reopen',
    message: 'Leave it, say why',
    skipCalls: true,
    key: 'reopen',
  });
  expect(answer).toMatchObject({ ok: true, effect: 'reopened', status: 'queued' });
  expect(await contents(phase.loopId)).toEqual([UNKNOWN_OUTCOME_TEXT, NOT_RUN_TEXT]);
});

it('R68: a paused loop goes on to its next turn without running its calls', async () => {
  const phase = await loopInToolPhase(test.db, [acceptedCall('look', { effect: 'read' })]);
  await controlLoop(test.db, phase.loopId, { verb: 'pause', key: 'pause' });
  const { answer } = await controlLoop(test.db, phase.loopId, { verb: 'resume', skipCalls: true, key: 'resume' });
  expect(answer).toMatchObject({ ok: true, effect: 'resumed', status: 'queued' });
  expect(await contents(phase.loopId)).toEqual([NOT_RUN_TEXT]);
});
