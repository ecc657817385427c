import { formatAdopt } from '../../../../src/cli/render/format-adopt';
import { formatLogLine } from '../../../../src/cli/render/format-log-line';
import { formatMessage } from '../../../../src/cli/render/format-message';
import { formatReady } from '../../../../src/cli/render/format-ready';
import { formatReconcile } from '../../../../src/cli/render/format-reconcile';
import { PLAIN } from '../../../../src/cli/render/paint';
import { RECONCILE_CASES, type ReconcileCounts } from '../../../../src/db/reconcile/reconcile-options';
import { type LoopId, type MessageId, toId } from '../../../../src/domain/ids';
import type { TranscriptMessage } from '../../../../src/domain/message';

const paint = PLAIN;
const noCounts = Object.fromEntries(RECONCILE_CASES.map((name) => [name, 0])) as unknown as ReconcileCounts;

test('R70: the reconciler says only what it did, and that nothing was to be done', () => {
  expect(formatReconcile(noCounts, { dryRun: false, paint })).toBe('✓ the tables and Temporal agree');
  expect(formatReconcile({ ...noCounts, workflowsStarted: 2 }, { dryRun: true, paint })).toBe(
    '        2  workflows that were gone are started again\nnothing was done (--dry-run)',
  );
});

test('R71: adoption counts first, by the server that drove the loops', () => {
  const report = { installationNamespaceId: 'old', loops: { old: 12 }, liveLoops: 1 };
  expect(formatAdopt(report, { isDone: false, paint })).toMatch(
    /^12 loops would be adopted; 1 of them goes on here:\n +12 {2}of namespace old\nnothing was done/,
  );
  expect(formatAdopt(report, { isDone: true, paint })).toContain('solidloop reconcile');
  expect(formatAdopt({ ...report, loops: {} }, { isDone: false, paint })).toContain('all loops belong to this Temporal server already');
});

test('the ready stack tells its addresses and one command', () => {
  const stack = {
    agents: ['assistant'],
    model: 'a small one; name a better one',
    databaseUrl: 'postgresql://x',
    temporalAddress: '127.0.0.1:7233',
    dataFolder: '.solidloop',
    seconds: 6.2,
    command: 'npm start --',
    isOurs: true,
  };
  expect(formatReady(stack, paint)).toBe(`
✓ SolidLoop is ready (6.2 s)

  agents    assistant
  model     a small one;
            name a better one
  Postgres  postgresql://x
  Temporal  127.0.0.1:7233
  data      .solidloop

Try, in another terminal:

  npm start -- "What is 17 plus 25?"

Ctrl-C ends all of it; the data stays.
`);
});

test.each([
  ['{"level":40,"time":"t","loopId":"7","msg":"slow"}', 'warning slow loopId=7'],
  ['{"level":50,"msg":"broken","err":{"message":"why"}}', 'error broken err=why'],
  ['{"level":40,"msg":"slow","taskToken":"abc","attempt":2}', 'warning slow attempt=2'],
  ['{"level":30,"msg":"started"}', 'note started'],
  ['no json\n', 'no json'],
])('the log line %s reads as %s', (line, text) => {
  expect(formatLogLine(line, paint)).toBe(text);
});

const message: TranscriptMessage = {
  id: toId<MessageId>('12'),
  loopId: toId<LoopId>('7'),
  seq: 1,
  turnNumber: 1,
  role: 'user',
  kind: 'plain',
  status: 'success',
  isHidden: false,
  content: 'Be short.\nPlease.',
  reasoningContent: null,
  toolCalls: [],
  toolCallRef: null,
  toolCallProviderId: null,
  providerExtras: null,
  metadata: {},
  errorMessage: null,
  createdAt: new Date(0),
};
const show = (changes: Partial<TranscriptMessage>, withIds = false) =>
  formatMessage({ ...message, ...changes }, new Map(), { paint, withIds });

test('R62: a message that waits tells its id, with which it can be edited', () => {
  expect(show({})).toBe('› Be short.\n  Please.');
  expect(show({ status: 'pending', isHidden: true })).toBe('› Be short.\n  Please. (waits for the next turn, message 12)');
  expect(show({ isHidden: true }, true)).toBe('› Be short.\n  Please. (hidden from the model, message 12)');
});

test('R33: an answer that was cut off says so', () => {
  expect(show({ role: 'assistant', content: 'Once upon', status: 'failed' })).toBe('Once upon (not finished)');
});

test('a result without its call, a system message and an empty answer read well too', () => {
  expect(show({ role: 'tool', content: '42' })).toBe('← tool 42');
  expect(show({ role: 'system', content: 'You are\nhelpful.' })).toBe('system: You are helpful.');
  expect(show({ role: 'assistant', content: null })).toBe('');
});
