/** Every shape of a loop's history, run against scripted activities: what the replay tests hold still. */

import type { WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { Context } from '@temporalio/activity';
import type { PlannedStep } from '../../src/domain/planned-step';
import { statusQuery, verbSignals, wakeSignal } from '../../src/workflows/controls';
import { waitUntil } from '../support/wait-until';
import {
  createWorkflowHarness,
  doneStep,
  opened,
  type ScriptedActivities,
  toolsStep,
  turnStep,
  waitStep,
  type WorkflowHarness,
} from '../support/workflows';

interface Shape {
  readonly name: string;
  readonly activities: ScriptedActivities;
  /** Sends what the shape needs while it runs. */
  readonly drive?: (handle: Awaited<ReturnType<WorkflowHarness['start']>>) => Promise<void>;
}

const inTurn =
  (step: PlannedStep): (() => Promise<PlannedStep>) =>
  async () =>
    step;
const steps = (...list: readonly PlannedStep[]): (() => Promise<PlannedStep>) => {
  const rest = [...list];
  return async () => rest.shift() ?? doneStep('completed');
};

const SHAPES: readonly Shape[] = [
  { name: 'answer', activities: { openLoop: async () => opened(turnStep(1, 0)), runTurn: inTurn(doneStep('completed')) } },
  {
    name: 'finish-told',
    activities: {
      openLoop: async () => ({ ...opened(turnStep(1, 0)), notifiesFinish: true }),
      runTurn: inTurn(doneStep('completed')),
      notifyFinished: async () => undefined,
    },
  },
  {
    name: 'parallel-tools',
    activities: {
      openLoop: async () => opened(toolsStep(1, ['1', '2', '3'])),
      runTool: async ({ callId }: { callId: string }) =>
        callId === '3' ? { kind: 'answered', next: turnStep(2, 1) } : { kind: 'answered' },
      runTurn: inTurn(doneStep('completed')),
    },
  },
  {
    name: 'sequential-tools',
    activities: {
      openLoop: async () => opened(toolsStep(1, ['1', '2'], 1)),
      runTool: async () => ({ kind: 'answered' }),
      readNextStep: steps(doneStep('completed')),
    },
  },
  {
    name: 'pause-and-resume',
    activities: {
      openLoop: async () => opened(waitStep()),
      control: async () => ({ ok: true, verb: 'resume', status: 'queued', effect: 'resumed' }),
      readNextStep: steps(turnStep(1, 6)),
      runTurn: inTurn(doneStep('completed')),
    },
    drive: (handle) => handle.signal(verbSignals.resume),
  },
  {
    name: 'cancelled-step',
    activities: {
      openLoop: async () => opened(turnStep(1, 0)),
      runTurn: async () => {
        const beats = setInterval(() => Context.current().heartbeat(), 50);
        return Context.current().cancelled.finally(() => clearInterval(beats));
      },
      readNextStep: steps(doneStep('completed')),
    },
    drive: async (handle) => {
      await waitUntil('the turn', async () => (await handle.query(statusQuery)).step === 'turn 1');
      await handle.signal(wakeSignal);
    },
  },
  {
    name: 'failed',
    activities: {
      openLoop: async () => opened(turnStep(1, 0)),
      runTurn: async () => {
        throw ApplicationFailure.nonRetryable('words', 'InternalError', { generation: '1' });
      },
      closeLoop: async () => doneStep('failed', 'InternalError'),
    },
  },
  {
    name: 'temporal-cancel',
    activities: {
      openLoop: async () => opened(waitStep()),
      control: async () => ({ ok: true, verb: 'stop', status: 'cancelled', effect: 'cancelled' }),
      readNextStep: steps(doneStep('cancelled')),
    },
    drive: async (handle) => void (await handle.cancel()),
  },
];

/** Each shape with its history. */
export async function* recordShapes(): AsyncGenerator<{
  readonly name: string;
  readonly history: Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;
}> {
  for (const { name, activities, drive } of SHAPES) {
    const harness = await createWorkflowHarness(activities);
    const handle = await harness.start();
    await drive?.(handle);
    await handle.result().catch(() => undefined);
    const history = await handle.fetchHistory();
    await harness.close();
    yield { name, history };
  }
}
