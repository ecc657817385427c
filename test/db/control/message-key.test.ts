/** A message's own key holds where the request that brought it is forgotten: retention prunes requests, never messages. */

import { controlLoop } from '../../../src/db/control/control-loop';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { loopInTurn, messageRows } from '../../support/loops';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

describe('a steering message', () => {
  it('R62: is the same message under the same key, though its request was pruned', async () => {
    const { db } = database;
    const { loopId } = await loopInTurn(db);
    const request = { verb: 'steer', message: 'One more thing', key: 'the-one-key' } as const;
    const first = await controlLoop(db, loopId, request);
    await db.deleteFrom('control_requests').where('loop_id', '=', loopId).execute();
    const second = await controlLoop(db, loopId, request);
    expect([first.answer, second.answer]).toMatchObject([{ ok: true }, { ok: true }]);
    expect((await messageRows(db, loopId)).filter(({ content }) => content === 'One more thing')).toHaveLength(1);
  });
});
