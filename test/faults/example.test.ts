/** The documented example of `solidloop/testing` does what its document says. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testSecretary } from '../../examples/fault-test';
import { openLedger } from '../../src/testing/index';
import { createEmptyDatabase } from '../support/database';
import { temporalAddress } from '../support/workflows';

describe('an agent of a user', () => {
  it('R54, R75: is killed, stopped and cut off at every point of its loop, and sends no letter twice', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'solidloop-example-'));
    const database = await createEmptyDatabase();
    try {
      const report = await testSecretary({ databaseUrl: database.url, temporalAddress: temporalAddress(), folder });
      expect(report.violations).toEqual([]);
      expect(report.points).toEqual(expect.arrayContaining(['turn:in-call', 'turn:before-commit', 'call:before-body', 'call:after-body']));
      expect(report.loops).toBe(1 + 3 * report.points.length);
      const letters = openLedger(join(folder, 'letters.jsonl')).read();
      expect(new Set(letters.map(({ key }) => key)).size).toBe(letters.length);
    } finally {
      await database.drop();
      rmSync(folder, { recursive: true, force: true });
    }
  }, 240_000);
});
