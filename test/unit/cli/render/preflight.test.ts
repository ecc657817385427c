/** `solidloop preflight`: what it says, and the exit code that a pipeline goes by. */

import { formatPreflight } from '../../../../src/cli/render/format-preflight';
import { PLAIN } from '../../../../src/cli/render/paint';
import { FakeCli } from '../fake-context';

const DIFFERENT = { agentName: 'librarian', loops: 2, startedWith: 'a'.repeat(64), now: 'b'.repeat(64) };
const FAILURE = { workflowId: 'loop-1', runId: 'r', error: 'Nondeterminism' };

it('says what replays, what does not, and which agents differ', () => {
  expect(formatPreflight({ replayed: 3, failures: [], differences: [] }, PLAIN)).toBe('✓ 3 running workflows replayed with this code');
  expect(
    formatPreflight({ replayed: 3, failures: [FAILURE], differences: [DIFFERENT, { ...DIFFERENT, loops: 1, now: null }] }, PLAIN).split(
      '\n',
    ),
  ).toEqual([
    '✗ 1 of 3 running workflows cannot go on with this code:',
    '  loop-1  Nondeterminism',
    '! 2 live loops of agent librarian: started with definition aaaaaaaaaaaa, would go on with bbbbbbbbbbbb',
    '✗ 1 live loop of agent librarian: no agent has that name here; they would pause once they are due',
  ]);
});

it.each([
  ['all replays', {}, 0, 0],
  ['a workflow does not replay', { failures: [FAILURE] }, 1, 1],
  ['an agent is defined otherwise', { differences: [DIFFERENT] }, 0, 1],
  ['an agent is gone', { differences: [{ ...DIFFERENT, now: null }] }, 1, 1],
])('where %s: exit codes, and with --strict', async (_case, report, code, strictCode) => {
  const cli = new FakeCli();
  cli.agents = ['librarian'];
  cli.preflightReport = { replayed: 1, failures: [], differences: [], ...report };
  expect((await cli.type('preflight')).exitCode).toBe(code);
  expect((await cli.type('preflight', '--strict', '--json')).exitCode).toBe(strictCode);
});
