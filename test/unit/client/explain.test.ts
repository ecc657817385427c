import { explain } from '../../../src/client/explain';
import type { ActivitySituation, LoopSituation, TemporalSituation } from '../../../src/client/why-facts';
import { type Generation, type LoopId, toId } from '../../../src/domain/ids';

const now = new Date('2026-03-01T12:00:00Z');
const secondsAgo = (seconds: number) => new Date(now.getTime() - seconds * 1000);

const LOOP: LoopSituation = {
  id: toId<LoopId>('7'),
  workflowId: 'loop-x',
  taskQueue: 'solidloop',
  agentName: 'librarian',
  status: 'running',
  statusChangedAt: secondsAgo(90),
  generation: toId<Generation>('3'),
  turnNumber: 4,
  turnFailures: 0,
  lostAttempts: 0,
  lastPhase: null,
  leaseExpiresAt: null,
  renewedAt: null,
  errorCode: null,
  errorMessage: null,
  requested: null,
  requestedBy: null,
  wakeDueAt: null,
  pausedBy: null,
  pausedReason: null,
  unknownSince: null,
  isFrozen: false,
  frozenBy: null,
  frozenReason: null,
  frozenAt: null,
  waitingMessages: 0,
  unresolvedCalls: [],
  lastError: null,
  lastRefusal: null,
};

const TURN: ActivitySituation = {
  id: 'turn-4-g3',
  type: 'runTurn',
  state: 'started',
  attempt: 1,
  nextAttemptAt: null,
  lastHeartbeatAt: secondsAgo(2),
  startedAt: secondsAgo(65),
  worker: '12@host',
  lastFailure: null,
};

const open = (...activities: ActivitySituation[]): TemporalSituation => ({
  kind: 'open',
  activities,
  workflowTask: null,
  pollers: { workflow: 1, activity: 1 },
});

const ask = (loop: Partial<LoopSituation>, temporal: TemporalSituation = open()) => explain({ now, loop: { ...LOOP, ...loop }, temporal });

test('R65: a loop that is over says how it ended and what can follow', () => {
  const answer = ask({ status: 'failed', errorCode: 'ProviderFinal', errorMessage: 'HTTP 401: no such key' });
  expect(answer.sentence).toBe('It is over: failed with ProviderFinal: HTTP 401: no such key.');
  expect(answer.next).toEqual(['Try the failed step again: solidloop retry 7', 'Go on with a new message: solidloop reopen 7 "…"']);
});

test('R64: a frozen loop names who froze it and why, whatever else holds', () => {
  const answer = ask(
    { status: 'paused', isFrozen: true, frozenBy: 'ana', frozenReason: 'an incident', frozenAt: now },
    { kind: 'not-found' },
  );
  expect(answer).toMatchObject({ code: 'frozen', sentence: 'It was frozen by ana at 2026-03-01T12:00:00.000Z, because: an incident.' });
});

test('R60: a paused loop names who paused it and the command that goes on', () => {
  const answer = ask({ status: 'paused', pausedBy: 'operator', pausedReason: null });
  expect(answer).toMatchObject({
    code: 'paused',
    sentence: 'It was paused by operator at 2026-03-01T11:58:30.000Z.',
    next: ['solidloop resume 7'],
  });
});

test('a Temporal that does not answer is the cause', () => {
  expect(ask({}, { kind: 'unreachable', reason: 'connection refused' })).toMatchObject({ code: 'temporal-unreachable' });
});

test('R70: a live loop without its workflow is for the reconciler, and one that was never launched for a worker', () => {
  expect(ask({}, { kind: 'closed', status: 'terminated' }).sentence).toBe(
    'The workflow loop-x is terminated although the loop is running (for 1 min 30 s): the reconciler starts it again.',
  );
  expect(ask({ status: 'init' }, { kind: 'not-found' }).sentence).toContain('a worker of the queue "solidloop" launches it');
});

test.each([
  [{ workflow: 0, activity: 2 }, 'No worker polls the task queue "solidloop" for workflows.'],
  [{ workflow: 1, activity: 0 }, 'No worker polls the task queue "solidloop" for activities.'],
])('a queue with pollers %j is without a worker', (pollers, sentence) => {
  expect(ask({}, { kind: 'open', activities: [], workflowTask: null, pollers })).toMatchObject({ code: 'no-worker', sentence });
});

test('a workflow task that nobody takes means that no worker runs, whatever was heard a minute ago', () => {
  const waiting = (seconds: number): TemporalSituation => ({
    kind: 'open',
    activities: [],
    workflowTask: { attempt: 1, waitingSince: secondsAgo(seconds), failure: null },
    pollers: { workflow: 1, activity: 1 },
  });
  expect(ask({}, waiting(12)).sentence).toBe(
    'For 12 s no worker has taken its workflow task from the queue "solidloop": none runs, or all are busy.',
  );
  expect(ask({}, waiting(1)).code).toBe('about-to-move');
});

test('a workflow task that fails comes before everything that waits for it', () => {
  const temporal: TemporalSituation = {
    kind: 'open',
    activities: [TURN],
    workflowTask: { attempt: 5, waitingSince: null, failure: 'nondeterministic' },
    pollers: { workflow: 0, activity: 0 },
  };
  expect(ask({}, temporal)).toMatchObject({
    code: 'workflow-task-failing',
    sentence: "The workflow's own code fails, 4 times so far: nondeterministic.",
  });
});

test('R46: an unknown agent says since when, and its name', () => {
  expect(ask({ unknownSince: secondsAgo(30) }, open(TURN)).sentence).toBe(
    'For 30 s its worker has not known the agent "librarian", or a tool that was offered.',
  );
});

test('R46: a retry says when, after which error, and how to skip the wait', () => {
  const waiting: ActivitySituation = {
    ...TURN,
    state: 'scheduled',
    attempt: 3,
    nextAttemptAt: secondsAgo(-42),
    lastFailure: { type: 'ProviderRetryable', message: 'HTTP 429' },
  };
  const answer = ask({ turnFailures: 2, lastError: { status: 429, error: 'slow down\nplease', at: secondsAgo(18) } }, open(waiting));
  expect(answer.sentence).toBe(
    'Turn 4 is tried again in 42 s (at 2026-03-01T12:00:42.000Z), attempt 3, after ProviderRetryable: HTTP 429.',
  );
  expect(answer.details).toEqual(['Turn 4 failed 2 times so far.', 'Last error of a server, 18 s ago: HTTP 429: slow down']);
  expect(answer.next).toEqual(['Skip the wait: solidloop retry 7']);
});

test('an activity that a person paused in Temporal says how to unpause it there', () => {
  expect(ask({}, open({ ...TURN, state: 'paused' })).next).toEqual([
    'temporal activity unpause --workflow-id loop-x --activity-id turn-4-g3',
  ]);
});

test('a step without a worker waits for a free place', () => {
  expect(ask({}, open({ ...TURN, state: 'scheduled' }))).toMatchObject({
    code: 'waiting-for-slot',
    sentence: 'Turn 4 waits for a worker that has a free place.',
  });
});

test('a worker that is silent is told apart from a step that runs', () => {
  const silent = ask({}, open({ ...TURN, lastHeartbeatAt: secondsAgo(20) }));
  expect(silent.sentence).toBe('Turn 4 was started by worker 12@host, which has not been heard of for 20 s.');
  const running = ask({}, open(TURN));
  expect(running.sentence).toBe('It is moving: turn 4 has been running for 1 min 5 s by worker 12@host, heard of 2 s ago.');
});

test('a tool call is named by its tool, and its siblings are counted', () => {
  const call: ActivitySituation = { ...TURN, id: 'call-31-g3-1', type: 'runTool' };
  const unresolvedCalls = [{ id: '31', name: 'search_web', startedAt: now, renewedAt: now, isExecuted: false }];
  const answer = ask({ unresolvedCalls }, open(call, { ...call, id: 'call-32-g3-2' }));
  expect(answer.sentence).toContain('the call of search_web');
  expect(answer.details).toContain('1 more of its steps are pending.');
});

test('what is asked of the loop, what waits and what was refused are told beside the cause', () => {
  const answer = ask({
    requested: 'stop',
    requestedBy: 'ana',
    waitingMessages: 2,
    lostAttempts: 3,
    lastPhase: 'streaming',
    lastRefusal: { kind: 'SteeringError', error: 'the loop is over', at: secondsAgo(61) },
  });
  expect(answer.code).toBe('about-to-move');
  expect(answer.details).toEqual([
    'ana asked to stop when the step ends.',
    '2 messages wait for the next turn.',
    '3 attempts of it ended without a report, last heard of while streaming.',
    'Last refusal or fault, 1 min 1 s ago: SteeringError: the loop is over',
  ]);
});
