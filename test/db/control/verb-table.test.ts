/** Walks the whole table of verbs on real Postgres: each verb in each state of a loop. */

import { CONTROL_STATES, VERB_FORMS } from '../../../src/domain/verb-table-rows';
import { decideControl } from '../../../src/domain/verb-table';
import type { Database } from '../../../src/db/database';
import type { LoopId } from '../../../src/domain/ids';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { eventRows, loopRow, messageRows } from '../../support/loops';
import { ask, STATE_MAKERS, toRequest } from './states';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const cases = CONTROL_STATES.flatMap((state) =>
  VERB_FORMS.map(({ name, form }) => ({ state: state.name, facts: state.facts, name, form })),
);

describe('each verb in each state', () => {
  it.each(cases)(
    'R60, R61, R62, R64, R65, R66, R74: $name of a loop that is $state does what the table says, once',
    async ({ state, facts, form }) => {
      const { db } = database;
      const make = STATE_MAKERS[state];
      if (make === undefined) throw new Error(`nobody makes a loop that is ${state}`);
      const loopId = await make(db);
      const request = await toRequest(db, loopId, form);
      const before = await loopRow(db, loopId);

      const key = 'the key';
      const { answer } = await ask(db, loopId, request, key);

      const decision = decideControl(form, facts);
      const row = await loopRow(db, loopId);
      expect(answer.status).toBe(row.status);
      if (decision.kind === 'refuse') {
        expect(answer).toMatchObject({ ok: false, verb: form.verb, code: decision.code });
        expect(row).toEqual(before);
      } else {
        const effect = decision.kind === 'unchanged' ? 'unchanged' : decision.effect;
        expect(answer).toMatchObject({ ok: true, verb: form.verb, effect });
      }
      const event = (await eventRows(db, loopId)).at(-1);
      expect(event).toMatchObject({ kind: 'control', name: form.verb, error: answer.ok ? null : `${answer.code}: ${answer.message}` });

      // R74: the same request once more.
      const rows = await rowsOf(db, loopId);
      const repeat = await ask(db, loopId, request, key);
      expect(repeat).toMatchObject({ answer, isRepeat: true });
      expect(await rowsOf(db, loopId)).toEqual(rows);
    },
  );
});

const rowsOf = (db: Database, loopId: LoopId) => Promise.all([loopRow(db, loopId), messageRows(db, loopId), eventRows(db, loopId)]);
