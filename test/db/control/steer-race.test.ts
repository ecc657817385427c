/** A message that meets the end of its loop: it waits for what is being committed, and decides by what it finds then. */

import { Client } from 'pg';
import { controlLoop } from '../../../src/db/control/control-loop';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { loopInTurn, messageRows } from '../../support/loops';
import { waitUntil } from '../../support/wait-until';

let database: TestDatabase;
let other: Client;
beforeAll(async () => {
  database = await createTestDatabase();
  other = new Client({ connectionString: database.url });
  await other.connect();
});
afterAll(async () => {
  await other.end();
  await database.drop();
});

async function isAnyoneWaiting(): Promise<boolean> {
  const { rows } = await other.query(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and pid <> pg_backend_pid()`,
  );
  return rows.length > 0;
}

describe('a steering message', () => {
  it('R4, R62, R63: that comes while the loop is being completed is refused once it is, and leaves no message behind', async () => {
    const { loopId } = await loopInTurn(database.db);
    await other.query('begin');
    await other.query(`update solid_loop.loops set status = 'completed', lease_expires_at = null where id = $1`, [loopId]);
    const steered = controlLoop(database.db, loopId, { verb: 'steer', message: 'too late', key: 'late' });
    await waitUntil('the message to wait for the lock', isAnyoneWaiting);
    await other.query('commit');
    expect((await steered).answer).toMatchObject({ ok: false, code: 'SteeringError' });
    expect((await messageRows(database.db, loopId)).filter(({ content }) => content === 'too late')).toEqual([]);
  });
});
