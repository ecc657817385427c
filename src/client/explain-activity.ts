/** Why a step that Temporal has scheduled does not end: it waits for a retry, a slot or a person, runs, or its worker is silent. */

import { formatDuration } from '../util/format-duration';
import type { Explanation } from './explain';
import type { ActivitySituation, WhyFacts } from './why-facts';

/** Heartbeats come at least every 5 s and time out after 30. */
const SILENT_SECONDS = 15;

/** `pending`: how many steps there are; the first is explained. */
export function explainActivity(facts: WhyFacts, activity: ActivitySituation, pending: number): Explanation {
  const explanation = explainOne(facts, activity);
  return pending === 1
    ? explanation
    : { ...explanation, details: [...explanation.details, `${pending - 1} more of its steps are pending.`] };
}

function explainOne(facts: WhyFacts, activity: ActivitySituation): Explanation {
  const { now, loop } = facts;
  const waitSeconds = activity.nextAttemptAt === null ? 0 : (activity.nextAttemptAt.getTime() - now.getTime()) / 1000;
  if (activity.state === 'paused') return pausedActivity(facts, activity);
  if (activity.state === 'started' || activity.state === 'cancel-requested') return running(facts, activity);
  if (activity.attempt > 1 && waitSeconds > 0) {
    return {
      code: 'retry-wait',
      sentence: `${stepOf(facts, activity)} is tried again in ${formatDuration(waitSeconds)} (at ${activity.nextAttemptAt?.toISOString() ?? ''}), attempt ${activity.attempt}, after ${failureOf(activity)}.`,
      details: [],
      next: [`Skip the wait: solidloop retry ${loop.id}`],
    };
  }
  return {
    code: 'waiting-for-slot',
    sentence: `${stepOf(facts, activity)} waits for a worker that has a free place.`,
    details: activity.attempt > 1 ? [`It is attempt ${activity.attempt}, after ${failureOf(activity)}.`] : [],
    next: [`If it stays so, add a worker: solidloop worker --task-queue ${loop.taskQueue}`],
  };
}

function pausedActivity(facts: WhyFacts, activity: ActivitySituation): Explanation {
  return {
    code: 'activity-paused',
    sentence: `A person paused ${stepOf(facts, activity)} in Temporal itself.`,
    details: [],
    next: [`temporal activity unpause --workflow-id ${facts.loop.workflowId} --activity-id ${activity.id}`],
  };
}

function running(facts: WhyFacts, activity: ActivitySituation): Explanation {
  const { now, loop } = facts;
  const heardAt = activity.lastHeartbeatAt ?? activity.startedAt;
  const silentSeconds = heardAt === null ? 0 : (now.getTime() - heardAt.getTime()) / 1000;
  const by = activity.worker === null ? '' : ` by worker ${activity.worker}`;
  if (silentSeconds > SILENT_SECONDS) {
    return {
      code: 'worker-silent',
      sentence: `${stepOf(facts, activity)} was started${by}, which has not been heard of for ${formatDuration(silentSeconds)}.`,
      details: ['A worker that died is noticed after its heartbeat timeout (30 s); another one then takes over.'],
      next: ['Wait for the takeover; if it does not come, see that a worker runs.'],
    };
  }
  const since = activity.startedAt === null ? '' : ` for ${formatDuration((now.getTime() - activity.startedAt.getTime()) / 1000)}`;
  return {
    code: 'step-running',
    sentence: `It is moving: ${stepOf(facts, activity)} has been running${since}${by}, heard of ${formatDuration(silentSeconds)} ago.`,
    details:
      loop.unresolvedCalls.length === 0 ? [] : [`Calls without an answer: ${loop.unresolvedCalls.map((call) => call.name).join(', ')}.`],
    next: [`Watch it: solidloop tail ${loop.id}`],
  };
}

function stepOf({ loop }: WhyFacts, activity: ActivitySituation): string {
  if (activity.type === 'runTurn') return `turn ${loop.turnNumber}`;
  const callId = /^call-(\d+)-/.exec(activity.id)?.[1];
  const call = loop.unresolvedCalls.find(({ id }) => id === callId);
  return call === undefined ? `the step "${activity.id}"` : `the call of ${call.name}`;
}

const failureOf = ({ lastFailure }: ActivitySituation): string =>
  lastFailure === null ? 'an attempt without a report' : `${lastFailure.type}: ${lastFailure.message}`;
