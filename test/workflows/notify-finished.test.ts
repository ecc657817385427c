/** The end of a loop is told before its workflow ends, and nobody who does not take it holds the loop up. */

import { ApplicationFailure } from '@temporalio/common';
import { Context } from '@temporalio/activity';
import { verbSignals } from '../../src/workflows/controls';
import { waitUntil } from '../support/wait-until';
import { createWorkflowHarness, doneStep, opened, turnStep } from '../support/workflows';

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
      return doneStep('completed');
    },
    readNextStep: async () => (isReopened && turns === 1 ? turnStep(2, 10) : doneStep('completed')),
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
