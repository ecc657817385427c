import { EXIT, exitCodeOf, formatError } from '../../../../src/cli/render/format-error';
import { formatControlAnswer } from '../../../../src/cli/render/format-control-answer';
import { formatLoopList } from '../../../../src/cli/render/format-loop-list';
import { formatEvents, formatFacts, formatShow } from '../../../../src/cli/render/format-show';
import { createPaint, PLAIN } from '../../../../src/cli/render/paint';
import { formatCost, shorten } from '../../../../src/cli/render/text';
import { SolidLoopError } from '../../../../src/domain/errors';
import { type EventId, type LoopId, toId } from '../../../../src/domain/ids';
import { anyLoop } from '../../../support/any-loop';

const now = new Date('2026-03-01T12:00:00Z');

test('a list lines up, says since when, and leaves empty columns out', () => {
  const counters = { ...anyLoop().counters, steps: 12, tokensTotal: 123_456, cost: '1.5000000000' };
  const loops = [
    anyLoop({ id: toId('120'), status: 'running', agentName: 'librarian', counters, statusChangedAt: new Date('2026-03-01T11:59:48Z') }),
    anyLoop({
      id: toId('7'),
      status: 'failed',
      agentName: 'helper',
      errorCode: 'ProviderFinal',
      statusChangedAt: new Date('2026-02-28T12:00:00Z'),
    }),
  ];
  expect(formatLoopList(loops, now, PLAIN)).toBe(
    [
      'LOOP  STATUS   AGENT      TURNS   TOKENS   COST  SINCE  ABOUT',
      ' 120  running  librarian     12  123,456  $1.50   12 s',
      '   7  failed   helper         1        0  $0.00    1 d  ProviderFinal',
    ].join('\n'),
  );
});

test('an empty list says so', () => {
  expect(formatLoopList([], now, PLAIN)).toBe('no loops');
});

test('the facts of a loop leave out what says nothing', () => {
  const facts = formatFacts(anyLoop({ title: 'A question', limits: { steps: 5 } }), PLAIN);
  expect(facts.split('\n').map((line) => line.slice(0, 9).trim())).toEqual([
    'loop',
    'agent',
    'title',
    'workflow',
    'created',
    'turn',
    'spent',
    'limits',
  ]);
  expect(formatFacts(anyLoop({ status: 'completed' }), PLAIN)).not.toMatch(/^turn/m);
  expect(formatFacts(anyLoop({ status: 'running', turnNumber: 3, turnFailures: 1 }), PLAIN)).toContain('turn      3, failed 1 time so far');
});

test('events are one line each, with what went wrong', () => {
  const event = {
    id: toId<EventId>('5'),
    kind: 'llm-request',
    name: 'gpt-5',
    turnNumber: 2,
    method: 'POST',
    url: 'https://host/v1',
    status: 429,
    error: 'slow down',
    durationSeconds: 0.25,
    createdAt: now,
  };
  const [head, line] = formatEvents([event], PLAIN).split('\n');
  expect(head).toContain('EVENT');
  expect(line).toContain('12:00:00.000     2  llm-request  gpt-5     429  0.3 s  slow down');
});

test('R43: show with events tells how to see the exact body of a request', () => {
  const event = { id: toId<EventId>('5'), kind: 'llm-request', createdAt: now };
  const nothing = { name: null, turnNumber: null, method: null, url: null, status: null, error: null, durationSeconds: null };
  const shown = formatShow({ loop: anyLoop(), messages: [], events: [{ ...event, ...nothing }] }, { paint: PLAIN });
  expect(shown).toContain('\n\nthe exact body of a request: solidloop show 7 --request 5\n\n');
});

test('show puts facts, transcript and the summary one below the other', () => {
  const shown = formatShow({ loop: anyLoop({ status: 'completed' }), messages: [], events: [] }, { paint: PLAIN });
  expect(shown).toMatch(/^loop {6}7 {2}completed\n[^]*\n\n✓ completed · 1 turn · \$0\.00 · 0 s$/);
});

test.each([
  ['0', '$0.00'],
  ['0.0012000000', '$0.0012'],
  ['12.5000000000', '$12.50'],
  ['0.0000000001', '$0.0000000001'],
])('R6: a cost of %s is shown exactly, as %s', (amount, shown) => {
  expect(formatCost(amount)).toBe(shown);
});

test('what is too long for a line is cut at a whole character', () => {
  expect(shorten('a\n b\t😀😀😀', 6)).toBe('a b 😀…');
});

test('R66: an answer of control is one sentence with the status', () => {
  const loopId = toId<LoopId>('7');
  expect(formatControlAnswer(loopId, { ok: true, verb: 'stop', status: 'cancelled', effect: 'cancelled' }, PLAIN)).toBe(
    '✓ loop 7 is stopped (cancelled)',
  );
  expect(formatControlAnswer(loopId, { ok: true, verb: 'pause', status: 'running', effect: 'deferred' }, PLAIN)).toBe(
    '✓ loop 7 will pause when its step ends (running)',
  );
  expect(formatControlAnswer(loopId, { ok: true, verb: 'pause', status: 'paused', effect: 'unchanged' }, PLAIN)).toBe(
    '· nothing to do: loop 7 is paused already (paused)',
  );
});

test('a named error is its sentence; another one says how to see more; debug shows the causes', () => {
  const named = new SolidLoopError('LoopNotFound', 'there is no loop "9"', { cause: new Error('why') });
  expect(formatError(named, PLAIN, false)).toBe('✗ there is no loop "9"');
  expect(formatError(new Error('odd'), PLAIN, false)).toBe('✗ odd\n  this was not expected; --debug shows where it came from');
  expect(formatError(named, PLAIN, true)).toMatch(/LoopNotFound: there is no loop "9"\n[^]*caused by Error: why/);
});

test.each([
  ['InvalidInput', EXIT.usage],
  ['LoopNotFound', EXIT.notFound],
  ['LoopFrozen', EXIT.refused],
  ['DatabaseUnavailable', EXIT.unavailable],
  ['ConfigError', EXIT.config],
  ['InternalError', EXIT.internal],
] as const)('the exit code of %s is %d', (code, exit) => {
  expect(exitCodeOf(new SolidLoopError(code, 'x'))).toBe(exit);
});

test('an error without a code is internal', () => {
  expect(exitCodeOf(new TypeError('x'))).toBe(EXIT.internal);
});

test('a pipe has no colours', () => {
  expect(createPaint(false).red('x')).toBe('x');
});
