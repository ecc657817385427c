/** `solidloop erase` and `solidloop prune`: what they say, and when they do it. */

import { formatErase, formatPrune } from '../../../../src/cli/render/format-erase';
import { parseAge } from '../../../../src/cli/parse-options';
import { PLAIN } from '../../../../src/cli/render/paint';
import type { EraseReport } from '../../../../src/db/loops/erase-loop';
import { toId } from '../../../../src/domain/ids';
import { FakeCli } from '../fake-context';

const ROWS = { messages: 1200, toolCalls: 0, events: 3, wireMessages: 2, liveParts: 0, controlRequests: 1, mcpSessions: 0 };
const REPORT: EraseReport = { loopId: toId('7'), workflowId: 'loop-7', status: 'completed', rows: ROWS };

it('erase counts, says what stays in Temporal, and does nothing without --yes', async () => {
  const cli = new FakeCli();
  cli.answers.erase = async () => REPORT;
  const counted = await cli.type('erase', '7');
  expect(counted.output.trimEnd().split('\n')).toEqual([
    'loop 7 (completed) would be erased, with',
    '    1,200  messages of the transcript',
    '        3  events and requests of the wire log',
    '        2  messages of the wire log that no other loop has',
    '        1  control requests',
    'Temporal keeps the history of loop-7 until its retention is over: ids, no content, unless a Temporal client sent it.',
    'nothing was done; --yes does it',
  ]);
  expect(counted.exitCode).toBe(64);
  expect((await cli.type('erase', '7', '--yes', '--force')).exitCode).toBe(0);
  expect(cli.calls).toEqual([
    ['erase', '7', { dryRun: true, force: false }],
    ['erase', '7', { dryRun: false, force: true }],
  ]);
});

it('says what was erased', () => {
  expect(formatErase(REPORT, { isDone: true, paint: PLAIN })).toMatch(/^✓ loop 7 is erased, with\n/);
});

it('prune says what is or would be deleted', () => {
  const report = { loops: 2, wireEvents: 0, wireMessages: 0, events: 5, reconcilerRuns: 0, liveParts: 0 };
  expect(formatPrune(report, { isDone: false, paint: PLAIN }).split('\n')).toEqual([
    'would be deleted:',
    '        2  loops that ended, with all their rows',
    '        5  other events',
    'nothing was done; --yes does it',
  ]);
  expect(formatPrune({ ...report, loops: 0, events: 0 }, { isDone: true, paint: PLAIN })).toBe('✓ nothing is that old');
});

it('reads ages, and refuses what is none', () => {
  expect(['90s', '45m', '12h', '30d'].map(parseAge)).toEqual([90, 2_700, 43_200, 2_592_000]);
  for (const wrong of ['', '30', 'd', '0d', '1.5d', '-3d', '30 days']) expect(() => parseAge(wrong)).toThrow('30d');
});
