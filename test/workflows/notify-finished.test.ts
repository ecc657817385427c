/** The end of a loop is told before its workflow ends, and nobody who does not take it holds the loop up. */

import type { WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { Context } from '@temporalio/activity';
import { toId } from '../../src/domain/ids';
import type { PlannedStep } from '../../src/domain/planned-step';
import { verbSignals, wakeSignal } from '../../src/workflows/controls';
import { waitUntil } from '../support/wait-until';
import { createWorkflowHarness, doneStep, opened, turnStep } from '../support/workflows';

const endOf = (turn: number): PlannedStep => ({ ...doneStep('completed'), generation: toId(turn) });

/** Activities that have ended, and whether the workflow has gone on since then. */
async function completedActivities(handle: Pick<WorkflowHandle, 'fetchHistory'>): Promise<readonly { readonly isSeen: boolean }[]> {
  const events = (await handle.fetchHistory()).events ?? [];
  const lastTask = events.findLastIndex((event) => Boolean(event.workflowTaskCompletedEventAttributes));
  return events.flatMap((event, index) => (event.activityTaskCompletedEventAttributes ? [{ isSeen: index < lastTask }] : []));
}

it('R47: tells once for each end, and only where somebody wants to know', async () => {
  const told: unknown[] = [];
  const harness = await createWorkflowHarness({
    openLoop: async () => ({ ...opened(turnStep(1, 0)), notifiesFinish: true }),
    runTurn: async () => doneStep('completed'),
    notifyFinished: async (input: never) => void told.push(input),
  });
  const handle = await harness.start();
  await expect(handle.result()).resolves.toMatchObject({ status: 'completed' });
  await harness.close();
  expect(told).toEqual([{ loopId: '17' }]);
});

it('R47, R65: a reopen while a receiver does not answer goes on at once', async () => {
  let isReopened = false;
  let turns = 0;
  const harness = await createWorkflowHarness({
    openLoop: async () => ({ ...opened(turnStep(1, 0)), notifiesFinish: true }),
    runTurn: async () => {
      turns += 1;
      return endOf(turns);
    },
    readNextStep: async () => (isReopened && turns === 1 ? turnStep(2, 10) : endOf(turns)),
    control: async () => {
      isReopened = true;
      return { ok: true, verb: 'reopen', status: 'queued', effect: 'reopened' };
    },
    notifyFinished: async () => {
      const context = Context.current();
      const beats = setInterval(() => context.heartbeat(), 50);
      const isFirst = turns === 1;
      if (isFirst) await handle.signal(verbSignals.reopen, { message: 'And then?' });
      if (isFirst) await context.cancelled.finally(() => clearInterval(beats));
      clearInterval(beats);
    },
  });
  const handle = await harness.start();
  await waitUntil('the second turn', () => turns === 2);
  await handle.result();
  await harness.close();
});

it('R47: a wake that changes nothing does not end the waiting', async () => {
  const harness = await createWorkflowHarness({
    openLoop: async () => ({ ...opened(turnStep(1, 0)), notifiesFinish: true }),
    runTurn: async () => doneStep('completed'),
    readNextStep: async () => doneStep('completed'),
    notifyFinished: async () => {
      await handle.signal(wakeSignal);
      await waitUntil('the end of what the wake set off', async () => {
        const completed = await completedActivities(handle);
        return completed.length === 3 && completed.at(-1)?.isSeen === true;
      });
    },
  });
  const handle = await harness.start();
  await handle.result();
  expect(await completedActivities(handle)).toHaveLength(4);
  await harness.close();
});

it('R47: a failure to tell does not fail the workflow', async () => {
  const harness = await createWorkflowHarness({
    openLoop: async () => ({ ...opened(turnStep(1, 0)), notifiesFinish: true }),
    runTurn: async () => doneStep('completed'),
    notifyFinished: async () => {
      throw ApplicationFailure.nonRetryable('words', 'InternalError');
    },
  });
  const handle = await harness.start();
  await expect(handle.result()).resolves.toMatchObject({ status: 'completed' });
  await harness.close();
});
