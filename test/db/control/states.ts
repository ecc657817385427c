/** A loop on real Postgres in each state of the table of verbs, made by the product's own transactions. */

import type { Database } from '../../../src/db/database';
import { controlLoop, type ControlOutcome } from '../../../src/db/control/control-loop';
import { failToolCall } from '../../../src/db/tool-calls/fail-tool-call';
import { startLoop } from '../../../src/db/loops/start-loop';
import type { ControlRequest } from '../../../src/domain/control';
import type { LoopId } from '../../../src/domain/ids';
import { acceptedCall, addPendingMessage, loopInToolCall, loopInToolPhase, loopInTurn, openTestLoop, putAtRest } from '../../support/loops';

let lastKey = 0;

/** A request under a key of its own. */
export const ask = (db: Database, loopId: LoopId, request: ControlRequest, key = `key-${++lastKey}`): Promise<ControlOutcome> =>
  controlLoop(db, loopId, { key, by: 'ann', ...request });

const calls = [acceptedCall('one'), acceptedCall('two')];

async function failedInToolPhase(db: Database): Promise<LoopId> {
  const { loopId, callId, generation, claimNumber } = await loopInToolCall(db, calls);
  await failToolCall(db, { callId, generation, claimNumber, errorCode: 'ToolFailed', errorMessage: 'out of paper' });
  return loopId;
}

async function after(loopId: Promise<LoopId>, act: (loopId: LoopId) => Promise<unknown>): Promise<LoopId> {
  const id = await loopId;
  await act(id);
  return id;
}

/** By the name of the state in the table. */
export const STATE_MAKERS: Readonly<Record<string, (db: Database) => Promise<LoopId>>> = {
  init: async (db) => (await startLoop(db, { agent: 'librarian', message: 'Find the book', taskQueue: 'solidloop' })).loopId,
  queued: (db) => openTestLoop(db),
  'running: turn in flight': async (db) => (await loopInTurn(db)).loopId,
  'running: turn due': (db) =>
    after(openTestLoop(db), (id) => db.updateTable('loops').set({ status: 'running' }).where('id', '=', id).execute()),
  'running: tools in flight': async (db) => (await loopInToolCall(db, calls)).loopId,
  'running: tools waiting': async (db) => (await loopInToolPhase(db, calls)).loopId,
  paused: (db) => after(openTestLoop(db), (id) => ask(db, id, { verb: 'pause' })),
  'paused, calls unresolved': async (db) =>
    after(Promise.resolve((await loopInToolPhase(db, calls)).loopId), (id) => ask(db, id, { verb: 'pause' })),
  'paused and frozen': (db) => after(openTestLoop(db), (id) => ask(db, id, { verb: 'freeze', reason: 'audit' })),
  completed: (db) => after(openTestLoop(db), (id) => putAtRest(db, id, { status: 'completed' })),
  failed: (db) =>
    after(openTestLoop(db), (id) => putAtRest(db, id, { status: 'failed', errorCode: 'ProviderFinal', errorMessage: 'HTTP 401: no' })),
  'failed, calls unresolved': failedInToolPhase,
  cancelled: (db) => after(openTestLoop(db), (id) => ask(db, id, { verb: 'stop' })),
  'cancelled and frozen': (db) =>
    after(openTestLoop(db), async (id) => {
      await ask(db, id, { verb: 'freeze' });
      await ask(db, id, { verb: 'stop' });
    }),
};

/** A whole request of this verb form; messages that it needs are made. */
export async function toRequest(
  db: Database,
  loopId: LoopId,
  form: object & { readonly verb: ControlRequest['verb'] },
): Promise<ControlRequest> {
  switch (form.verb) {
    case 'steer':
    case 'reopen':
      return { message: 'And the sequel', ...form } as ControlRequest;
    case 'editMessage':
      return { verb: 'editMessage', messageId: await addPendingMessage(db, loopId), message: 'Better words' };
    case 'withdrawMessage':
      return { verb: 'withdrawMessage', messageId: await addPendingMessage(db, loopId) };
    case 'hideMessage':
    case 'showMessage':
      return { verb: form.verb, messageId: await addDeliveredMessage(db, loopId, form.verb === 'showMessage') };
    case 'setLimits':
      return { verb: 'setLimits', limits: { steps: 7 } };
    default:
      return form as ControlRequest;
  }
}

async function addDeliveredMessage(db: Database, loopId: LoopId, isHidden: boolean): Promise<string> {
  const { id } = await db
    .insertInto('messages')
    .values({ loop_id: loopId, role: 'user', status: 'success', seq: 900, is_hidden: isHidden, content: 'long ago' })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}
