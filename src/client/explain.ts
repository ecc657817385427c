/** The one answer to "why is it not moving", from facts alone: the first cause that holds, in the order in which they stop a loop. */

import { isTerminal } from '../domain/loop';
import { formatDuration } from '../util/format-duration';
import { explainActivity } from './explain-activity';
import type { LoopSituation, TemporalSituation, WhyFacts } from './why-facts';

/** Each is one cause, and one line of the table in the documentation. */
export type WhyCode =
  | 'over'
  | 'frozen'
  | 'paused'
  | 'temporal-unreachable'
  | 'no-workflow'
  | 'no-worker'
  | 'workflow-task-failing'
  | 'agent-unknown'
  | 'retry-wait'
  | 'activity-paused'
  | 'worker-silent'
  | 'waiting-for-slot'
  | 'step-running'
  | 'about-to-move';

export interface Explanation {
  readonly code: WhyCode;
  /** One sentence. */
  readonly sentence: string;
  /** More that is true and helps, a sentence each. */
  readonly details: readonly string[];
  /** What to do next: a command or an act, each a line. */
  readonly next: readonly string[];
}

export function explain(facts: WhyFacts): Explanation {
  const cause = causeOf(facts);
  return { ...cause, sentence: withCapital(cause.sentence), details: [...cause.details, ...commonDetails(facts)] };
}

function causeOf(facts: WhyFacts): Explanation {
  const { loop, temporal } = facts;
  if (isTerminal(loop.status)) return over(loop);
  if (loop.isFrozen) return frozen(loop);
  if (loop.status === 'paused') return paused(loop);
  switch (temporal.kind) {
    case 'unreachable':
      return unreachable(temporal.reason);
    case 'not-found':
    case 'closed':
      return withoutWorkflow(facts, temporal);
    case 'open':
      return explainOpen(facts, temporal);
  }
}

/** Much longer than a worker with a free place takes. */
const TASK_PATIENCE_SECONDS = 3;

function explainOpen(facts: WhyFacts, temporal: Extract<TemporalSituation, { kind: 'open' }>): Explanation {
  const { loop } = facts;
  const task = temporal.workflowTask;
  if (task !== null && task.attempt > 1) return failingTask(task.attempt, task.failure);
  if (temporal.pollers.workflow === 0 || temporal.pollers.activity === 0)
    return withoutWorker(loop, temporal.pollers.workflow === 0 ? 'workflow' : 'activity');
  const waitingSeconds = task?.waitingSince == null ? 0 : (facts.now.getTime() - task.waitingSince.getTime()) / 1000;
  if (waitingSeconds > TASK_PATIENCE_SECONDS) return taskNotTaken(loop, waitingSeconds);
  if (loop.unknownSince !== null) return unknownAgent(facts);
  const [activity] = temporal.activities;
  if (activity !== undefined) return explainActivity(facts, activity, temporal.activities.length);
  return {
    code: 'about-to-move',
    sentence: 'Nothing holds it: its workflow is open, a worker polls, and the next step is about to be scheduled.',
    details: [],
    next: ['If it stays so: solidloop reconcile'],
  };
}

function over(loop: LoopSituation): Explanation {
  const because = loop.errorCode === null ? '' : ` with ${loop.errorCode}: ${loop.errorMessage ?? 'no text'}`;
  const retry = loop.status === 'failed' ? [`Try the failed step again: solidloop retry ${loop.id}`] : [];
  return {
    code: 'over',
    sentence: `It is over: ${loop.status}${because}.`,
    details: [],
    next: [...retry, `Go on with a new message: solidloop reopen ${loop.id} "…"`],
  };
}

function frozen(loop: LoopSituation): Explanation {
  return {
    code: 'frozen',
    sentence: `It was frozen by ${loop.frozenBy ?? 'an admin'}${loop.frozenAt === null ? '' : ` at ${loop.frozenAt.toISOString()}`}${reason(loop.frozenReason)}.`,
    details: [],
    next: [`solidloop unfreeze ${loop.id}`, `then: solidloop resume ${loop.id}`],
  };
}

function paused(loop: LoopSituation): Explanation {
  return {
    code: 'paused',
    sentence: `It was paused${loop.pausedBy === null ? '' : ` by ${loop.pausedBy}`} at ${loop.statusChangedAt.toISOString()}${reason(loop.pausedReason)}.`,
    details: loop.errorCode === null ? [] : [`The last error is ${loop.errorCode}: ${loop.errorMessage ?? 'no text'}`],
    next: [`solidloop resume ${loop.id}`],
  };
}

const reason = (text: string | null): string => (text === null || text === '' ? '' : `, because: ${text}`);

function unreachable(why: string): Explanation {
  return {
    code: 'temporal-unreachable',
    sentence: `Temporal does not answer (${why}), so nothing can drive it and nobody can say how its workflow stands.`,
    details: [],
    next: ['Check the address (--temporal-address) and that the server runs; the loop goes on by itself when it is back.'],
  };
}

function withoutWorkflow(
  { loop, now }: WhyFacts,
  temporal: { readonly kind: 'not-found' } | { readonly kind: 'closed'; readonly status: string },
): Explanation {
  const ageSeconds = (now.getTime() - loop.statusChangedAt.getTime()) / 1000;
  const gone =
    temporal.kind === 'closed' ? `The workflow ${loop.workflowId} is ${temporal.status}` : `Temporal has no workflow ${loop.workflowId}`;
  const launch = loop.status === 'init' ? `a worker of the queue "${loop.taskQueue}" launches it` : 'the reconciler starts it again';
  return {
    code: 'no-workflow',
    sentence: `${gone} although the loop is ${loop.status} (for ${formatDuration(ageSeconds)}): ${launch}.`,
    details: [],
    next: ['solidloop reconcile', `See that a worker runs for the queue "${loop.taskQueue}": solidloop worker`],
  };
}

function withoutWorker(loop: LoopSituation, kind: 'workflow' | 'activity'): Explanation {
  return {
    code: 'no-worker',
    sentence: `No worker polls the task queue "${loop.taskQueue}" for ${kind === 'workflow' ? 'workflows' : 'activities'}.`,
    details: [],
    next: [`Start one: solidloop worker --task-queue ${loop.taskQueue}`],
  };
}

/** Workers that ended a moment ago still count as pollers. */
function taskNotTaken(loop: LoopSituation, seconds: number): Explanation {
  return {
    code: 'no-worker',
    sentence: `For ${formatDuration(seconds)} no worker has taken its workflow task from the queue "${loop.taskQueue}": none runs, or all are busy.`,
    details: [],
    next: [`Start one: solidloop worker --task-queue ${loop.taskQueue}`],
  };
}

function failingTask(attempt: number, failure: string | null): Explanation {
  return {
    code: 'workflow-task-failing',
    sentence: `The workflow's own code fails, ${attempt - 1} times so far: ${failure ?? 'the reason is not in the history'}.`,
    details: [
      'This is a fault of the worker or a change of workflow code that does not fit the history, not of the loop; its rows are untouched.',
    ],
    next: ['Read the log of the workers, bring back the version that started it or mend the code; Temporal tries again by itself.'],
  };
}

function unknownAgent({ loop, now }: WhyFacts): Explanation {
  const seconds = loop.unknownSince === null ? 0 : (now.getTime() - loop.unknownSince.getTime()) / 1000;
  return {
    code: 'agent-unknown',
    sentence: `For ${formatDuration(seconds)} its worker has not known the agent "${loop.agentName}", or a tool that was offered.`,
    details: ['After a while the loop pauses with the names that are known.'],
    next: [`Start a worker whose config has the agent "${loop.agentName}"`],
  };
}

function commonDetails({ loop, now }: WhyFacts): readonly string[] {
  const ago = (date: Date) => `${formatDuration((now.getTime() - date.getTime()) / 1000)} ago`;
  return [
    ...(loop.requested === null ? [] : [`${loop.requestedBy ?? 'Somebody'} asked to ${loop.requested} when the step ends.`]),
    ...(loop.waitingMessages === 0
      ? []
      : [`${loop.waitingMessages} ${loop.waitingMessages === 1 ? 'message waits' : 'messages wait'} for the next turn.`]),
    ...(loop.turnFailures === 0
      ? []
      : [`Turn ${loop.turnNumber} failed ${loop.turnFailures} ${loop.turnFailures === 1 ? 'time' : 'times'} so far.`]),
    ...(loop.lostAttempts === 0
      ? []
      : [
          `${loop.lostAttempts} attempts of it ended without a report${loop.lastPhase === null ? '' : `, last heard of while ${loop.lastPhase}`}.`,
        ]),
    ...(loop.lastError === null
      ? []
      : [
          `Last error of a server, ${ago(loop.lastError.at)}: ${statusOf(loop.lastError.status)}${firstLine(loop.lastError.error ?? 'no text')}`,
        ]),
    ...(loop.lastRefusal === null
      ? []
      : [
          `Last refusal or fault, ${ago(loop.lastRefusal.at)}: ${loop.lastRefusal.kind}: ${firstLine(loop.lastRefusal.error ?? 'no text')}`,
        ]),
  ];
}

const withCapital = (sentence: string): string => sentence.charAt(0).toUpperCase() + sentence.slice(1);

const DETAIL_LIMIT_CHARS = 300;

const statusOf = (status: number | null): string => (status === null ? '' : `HTTP ${status}: `);

function firstLine(text: string): string {
  const line = text.split('\n', 1)[0] ?? '';
  return line.length > DETAIL_LIMIT_CHARS ? `${line.slice(0, DETAIL_LIMIT_CHARS)}…` : line;
}
