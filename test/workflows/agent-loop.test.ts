/** The workflow against scripted activities: what it asks for, in which order, and when it ends. */

import { WorkflowFailedError, type WorkflowHandle, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { Context } from '@temporalio/activity';
import type { PlannedStep } from '../../src/domain/planned-step';
import { controlUpdate, statusQuery, verbSignals, wakeSignal } from '../../src/workflows/controls';
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

let harness: WorkflowHarness | undefined;
afterEach(async () => {
  await harness?.close();
  harness = undefined;
});

const using = async (activities: ScriptedActivities): Promise<WorkflowHarness> => (harness = await createWorkflowHarness(activities));

/** Answers in turn, and fails loudly when the script is over. */
function answers(...steps: readonly PlannedStep[]): () => Promise<PlannedStep> {
  const rest = [...steps];
  return async () => {
    const next = rest.shift();
    if (next === undefined) throw ApplicationFailure.nonRetryable('the script is over', 'ScriptOver');
    return next;
  };
}

/** A promise and its key. */
interface Gate<Value = void> {
  readonly passed: Promise<Value>;
  readonly open: (value: Value) => void;
}

function gate<Value = void>(): Gate<Value> {
  let open: (value: Value) => void = () => undefined;
  const passed = new Promise<Value>((resolve) => (open = resolve));
  return { passed, open };
}

/** Each reading of the tables opens the next gate. */
const openingEach = (gates: Gate[], read: () => Promise<PlannedStep>) => async (): Promise<PlannedStep> => {
  const step = await read();
  gates.shift()?.open();
  return step;
};

/** One wake for each gate that is still shut, the next only once the tables were read for the last. */
async function wakeForEach(gates: readonly Gate[], handle: Pick<WorkflowHandle, 'signal'>): Promise<void> {
  for (const { passed } of [...gates]) {
    await handle.signal(wakeSignal);
    await passed;
  }
}

/** Ends when the step is cancelled, as a well-behaved attempt does. */
async function untilCancelled(): Promise<never> {
  const beats = setInterval(() => Context.current().heartbeat(), 50);
  return Context.current().cancelled.finally(() => clearInterval(beats));
}

async function scheduledActivities(handle: Pick<WorkflowHandle, 'fetchHistory'>): Promise<string[]> {
  const { events } = await handle.fetchHistory();
  return (events ?? []).flatMap((event) => event.activityTaskScheduledEventAttributes?.activityId ?? []);
}

async function endedActivities(handle: Pick<WorkflowHandle, 'fetchHistory'>): Promise<number> {
  const { events } = await handle.fetchHistory();
  return (events ?? []).filter((event) => Boolean(event.activityTaskCompletedEventAttributes)).length;
}

describe('agentLoop', () => {
  it('R25: runs a turn, its tool calls and the next turn as the tables say, then returns the loop', async () => {
    const called: string[] = [];
    const { start } = await using({
      openLoop: async () => opened(turnStep(1, 0)),
      runTurn: async ({ turnNumber }: { turnNumber: number }) => (turnNumber === 1 ? toolsStep(1, ['7', '8']) : doneStep('completed')),
      runTool: async ({ callId }: { callId: string }) => {
        called.push(callId);
        return callId === '8' ? { kind: 'answered', next: turnStep(2, 1) } : { kind: 'answered' };
      },
    });
    const handle = await start();
    await expect(handle.result()).resolves.toEqual({ loopId: '17', status: 'completed' });
    expect(called.toSorted()).toEqual(['7', '8']);
    expect(await scheduledActivities(handle)).toEqual(expect.arrayContaining(['turn-1-g0', 'call-7-g1', 'call-8-g1', 'turn-2-g1']));
  });

  it('R52: a sequential agent has one call at a time, in order', async () => {
    const order: string[] = [];
    let running = 0;
    const { start } = await using({
      openLoop: async () => opened(toolsStep(1, ['1', '2', '3'], 1)),
      runTool: async ({ callId }: { callId: string }) => {
        running += 1;
        order.push(`${callId}:${running}`);
        await Promise.resolve();
        running -= 1;
        return callId === '3' ? { kind: 'answered', next: doneStep('completed') } : { kind: 'answered' };
      },
    });
    await (await start()).result();
    expect(order).toEqual(['1:1', '2:1', '3:1']);
  });

  it('R67: a paused loop waits without a poll until it is woken, then asks', async () => {
    const asked = gate();
    const script = answers(waitStep(6), doneStep('completed'));
    const { start } = await using({
      openLoop: async () => opened(waitStep()),
      readNextStep: async () => {
        asked.open();
        return script();
      },
    });
    const handle = await start();
    await waitUntil('the wait', async () => (await handle.query(statusQuery)).status === 'paused');
    await handle.signal(wakeSignal);
    await asked.passed;
    await handle.signal(wakeSignal);
    await expect(handle.result()).resolves.toMatchObject({ status: 'completed' });
  });

  it('R67: a wake that came while the last answer was on its way is read before the run ends', async () => {
    const inTurn = gate();
    const woken = gate();
    const { start } = await using({
      openLoop: async () => opened(turnStep(1, 0)),
      runTurn: async ({ turnNumber }: { turnNumber: number }) => {
        if (turnNumber === 2) return doneStep('completed');
        inTurn.open();
        await woken.passed;
        return doneStep('completed');
      },
      readNextStep: answers(turnStep(1, 1), turnStep(2, 3), doneStep('completed')),
    });
    const handle = await start();
    await inTurn.passed;
    await handle.signal(wakeSignal);
    await handle.query(statusQuery);
    woken.open();
    await expect(handle.result()).resolves.toMatchObject({ status: 'completed' });
  });

  it('R67: an answer that was asked for before a wake never ends the run, even where the wake was read meanwhile', async () => {
    const inTurn = gate();
    const reading = gate();
    const ended = gate();
    const turns: number[] = [];
    const readings = answers(turnStep(2, 3), turnStep(2, 3), doneStep('completed'));
    const { start } = await using({
      openLoop: async () => opened(turnStep(1, 0)),
      runTurn: async ({ turnNumber }: { turnNumber: number }) => {
        turns.push(turnNumber);
        if (turnNumber === 2) return doneStep('completed');
        inTurn.open();
        await reading.passed;
        return doneStep('completed');
      },
      readNextStep: async () => {
        reading.open();
        await ended.passed;
        return readings();
      },
    });
    const handle = await start();
    await inTurn.passed;
    await handle.signal(wakeSignal);
    await waitUntil('the end of the turn', async () => (await endedActivities(handle)) === 2);
    ended.open();
    await expect(handle.result()).resolves.toMatchObject({ status: 'completed' });
    expect(turns).toEqual([1, 2]);
  });

  it.each(['before', 'after'])(
    'R67: a step that answered "paused" just before a resume does not put the loop to sleep (reading ends %s it)',
    async (order) => {
      const inTurn = gate();
      const reading = gate();
      const read = gate();
      const turns: number[] = [];
      const { start } = await using({
        openLoop: async () => opened(turnStep(1, 0)),
        runTurn: async ({ turnNumber }: { turnNumber: number }) => {
          if (turns.push(turnNumber) === 2) return doneStep('completed');
          inTurn.open();
          await reading.passed;
          return waitStep(6);
        },
        readNextStep: async () => {
          if (order === 'after') reading.open();
          await read.passed;
          return turns.length === 1 ? turnStep(1, 7) : doneStep('completed');
        },
      });
      const handle = await start();
      await inTurn.passed;
      await handle.signal(wakeSignal);
      if (order === 'before') read.open();
      await waitUntil('the first of both', async () => (await endedActivities(handle)) === 2);
      reading.open();
      read.open();
      await expect(handle.result()).resolves.toMatchObject({ status: 'completed' });
      expect(turns).toEqual([1, 1]);
    },
    20_000,
  );

  it('R67: a step that the tables no longer ask for is cancelled at once, one that is held goes on', async () => {
    const inTurn = gate();
    const asked = [gate(), gate(), gate()];
    const script = answers(turnStep(1, 1), waitStep(3), doneStep('completed'));
    const { start } = await using({
      openLoop: async () => opened(turnStep(1, 0)),
      runTurn: async () => {
        inTurn.open();
        return untilCancelled();
      },
      readNextStep: openingEach(asked, script),
    });
    const handle = await start();
    await inTurn.passed;
    await wakeForEach(asked, handle);
    await expect(handle.result()).resolves.toMatchObject({ status: 'completed' });
    expect((await scheduledActivities(handle)).filter((id) => id.startsWith('turn-'))).toEqual(['turn-1-g0']);
  });

  it('R67: a wake that came while the answer was on its way is looked at before the step goes on', async () => {
    const answering = gate();
    const inFirst = gate();
    let now: PlannedStep = turnStep(1, 1);
    const { start } = await using({
      openLoop: async () => opened(turnStep(1, 0)),
      runTurn: async ({ turnNumber }: { turnNumber: number }) => {
        if (turnNumber === 2) return untilCancelled();
        inFirst.open();
        await answering.passed;
        return turnStep(2, 1);
      },
      readNextStep: async () => now,
    });
    const handle = await start();
    await inFirst.passed;
    now = waitStep(3);
    answering.open();
    await handle.signal(wakeSignal);
    await waitUntil('the pause', async () => (await handle.query(statusQuery)).status === 'paused');
    now = doneStep('completed');
    await handle.signal(wakeSignal);
    await expect(handle.result()).resolves.toMatchObject({ status: 'completed' });
  });

  it('R67: a turn in back-off that somebody wants sooner is asked for anew; an interrupted one is not asked for twice', async () => {
    const inTurn = gate();
    const asked = [gate(), gate()];
    const script = answers(turnStep(1, 3), turnStep(1, 5, true));
    let turns = 0;
    const { start } = await using({
      openLoop: async () => opened(turnStep(1, 0)),
      runTurn: async () => {
        turns += 1;
        if (turns > 1) return doneStep('completed');
        inTurn.open();
        return untilCancelled();
      },
      readNextStep: openingEach(asked, script),
    });
    const handle = await start();
    await inTurn.passed;
    await wakeForEach(asked, handle);
    await expect(handle.result()).resolves.toMatchObject({ status: 'completed' });
    expect((await scheduledActivities(handle)).filter((id) => id.startsWith('turn-'))).toEqual(['turn-1-g0', 'turn-1-g5']);
  });

  it('R28: a lost lease and a cancelled step ask the tables; any other failure closes the loop with its code first', async () => {
    const closed: unknown[] = [];
    const { start } = await using({
      openLoop: async () => opened(turnStep(1, 0)),
      runTurn: async ({ turnNumber }: { turnNumber: number }) => {
        if (turnNumber === 1) throw ApplicationFailure.nonRetryable('lost', 'LostLease');
        throw ApplicationFailure.nonRetryable('words', 'InternalError', { generation: '7' });
      },
      readNextStep: answers(turnStep(2, 4)),
      closeLoop: async (input: unknown) => {
        closed.push(input);
        return doneStep('failed', 'InternalError');
      },
    });
    const handle = await start();
    await expect(handle.result()).rejects.toMatchObject({
      cause: { type: 'LoopFailed', details: [{ loopId: '17', code: 'InternalError' }] },
    });
    expect(closed).toEqual([{ loopId: '17', turnNumber: 2, generation: '7', code: 'InternalError' }]);
  });

  it('R27: a start that is refused fails the workflow and closes nothing', async () => {
    const { start } = await using({
      openLoop: async () => {
        throw ApplicationFailure.nonRetryable('no agent is named "x"', 'StartRefused', { field: 'agent' });
      },
    });
    const error = await (await start()).result().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(WorkflowFailedError);
    expect(error).toMatchObject({ cause: { type: 'StartRefused', message: 'no agent is named "x"', details: [{ field: 'agent' }] } });
  });

  it('R66: Temporal’s cancel is a stop of the loop, and the workflow ends as cancelled', async () => {
    const requests: unknown[] = [];
    const inTurn = gate();
    const { start } = await using({
      openLoop: async () => opened(turnStep(1, 0)),
      runTurn: async () => {
        inTurn.open();
        return untilCancelled();
      },
      control: async (input: unknown) => {
        requests.push(input);
        return { ok: true, verb: 'stop', status: 'cancelled', effect: 'cancelled' };
      },
      readNextStep: answers(doneStep('cancelled')),
    });
    const handle = await start();
    await inTurn.passed;
    await handle.cancel();
    await expect(handle.result()).rejects.toMatchObject({ cause: expect.any(CancelledFailure) as unknown });
    expect(requests).toMatchObject([{ loopId: '17', request: { verb: 'stop', by: 'temporal' } }]);
  });

  it('R66: a loop that was stopped elsewhere asks for its own cancellation, which is not a stop again', async () => {
    const held: WorkflowHarness[] = [];
    const created = await using({
      openLoop: async () => opened(doneStep('cancelled')),
      cancelOwnWorkflow: async () => {
        await held[0]?.client.workflow.getHandle(Context.current().info.workflowExecution?.workflowId ?? '').cancel();
      },
    });
    held.push(created);
    const handle = await created.start();
    await expect(handle.result()).rejects.toMatchObject({ cause: expect.any(CancelledFailure) as unknown });
    expect((await handle.describe()).status.name).toBe('CANCELLED');
  });

  it('R69: a signal that arrives before the loop is open waits for it, and a refused one fails nothing', async () => {
    const opening = gate();
    const requests: unknown[] = [];
    const { start } = await using({
      openLoop: async () => {
        await opening.passed;
        return opened(waitStep());
      },
      control: async ({ request }: { request: unknown }) => {
        requests.push(request);
        return { ok: false, verb: 'steer', status: 'paused', code: 'SteeringError', message: 'no' };
      },
      readNextStep: answers(doneStep('completed')),
    });
    const handle = await start();
    await handle.signal(verbSignals.steer, 'look at the left one');
    opening.open();
    await expect(handle.result()).resolves.toMatchObject({ status: 'completed' });
    expect(requests).toEqual([{ verb: 'steer', message: 'look at the left one' }]);
  });

  it('R69: the control update answers, and its refusal is an error with the code as its type', async () => {
    const results = [
      { ok: true, verb: 'pause', status: 'paused', effect: 'paused' },
      { ok: false, verb: 'resume', status: 'paused', code: 'LoopFrozen', message: 'loop 17 is frozen' },
    ];
    const { start } = await using({
      openLoop: async () => opened(waitStep()),
      control: async () => results.shift(),
      readNextStep: async () => waitStep(),
    });
    const handle = await start();
    await expect(handle.executeUpdate(controlUpdate, { args: [{ verb: 'pause' }] })).resolves.toMatchObject({ effect: 'paused' });
    const refused = await handle.executeUpdate(controlUpdate, { args: [{ verb: 'resume' }] }).catch((reason: unknown) => reason);
    expect(refused).toBeInstanceOf(WorkflowUpdateFailedError);
    expect(refused).toMatchObject({ cause: { type: 'LoopFrozen' } });
    await handle.terminate();
  });

  it('R27: a reading of the tables that fails for good closes the loop before the workflow ends', async () => {
    const closed: unknown[] = [];
    const { start } = await using({
      openLoop: async () => opened(turnStep(4, 6)),
      runTurn: async () => {
        throw ApplicationFailure.nonRetryable('lost', 'LostLease');
      },
      readNextStep: async () => {
        throw ApplicationFailure.nonRetryable('words', 'InternalError');
      },
      closeLoop: async (input: unknown) => {
        closed.push(input);
        return doneStep('failed', 'InternalError');
      },
    });
    await expect((await start()).result()).rejects.toMatchObject({ cause: { type: 'LoopFailed' } });
    expect(closed).toEqual([{ loopId: '17', turnNumber: 4, generation: '6', code: 'InternalError' }]);
  });

  it('R67: a run does something before it continues as new, however short its history may be', async () => {
    const turns: number[] = [];
    const openings = [turnStep(1, 0), turnStep(2, 1), turnStep(3, 2)];
    const { start } = await using({
      openLoop: async () => ({ ...opened(openings.shift() ?? doneStep('failed')), continueAsNewEvents: 1 }),
      runTurn: async ({ turnNumber }: { turnNumber: number }) => {
        turns.push(turnNumber);
        return turnNumber === 3 ? doneStep('completed') : turnStep(turnNumber + 1, turnNumber);
      },
    });
    await expect((await start()).result()).resolves.toMatchObject({ status: 'completed' });
    expect(turns).toEqual([1, 2, 3]);
  });

  it('R66: a run does not continue as new before the stop that Temporal’s cancel asked for is in the tables', async () => {
    const inTurn = gate();
    const turnEnds = gate();
    const stopping = gate();
    const openings = [turnStep(1, 0)];
    const { start } = await using({
      openLoop: async () => ({ ...opened(openings.shift() ?? doneStep('completed')), continueAsNewEvents: 1 }),
      runTurn: async ({ turnNumber }: { turnNumber: number }) => {
        if (turnNumber === 2) return untilCancelled();
        inTurn.open();
        await turnEnds.passed;
        return turnStep(2, 1);
      },
      control: async () => {
        turnEnds.open();
        await stopping.passed;
        return { ok: true, verb: 'stop', status: 'cancelled', effect: 'cancelled' };
      },
      readNextStep: answers(doneStep('cancelled')),
    });
    const handle = await start();
    await inTurn.passed;
    await handle.cancel();
    await waitUntil('the end of the turn', async () => (await endedActivities(handle)) === 2);
    stopping.open();
    await expect(handle.result()).rejects.toMatchObject({ cause: expect.any(CancelledFailure) as unknown });
  });

  it('R67: a request that comes while a stopped loop asks for its own cancellation is carried out before the run ends', async () => {
    const held: WorkflowHarness[] = [];
    const openings = [doneStep('cancelled'), doneStep('completed')];
    const requests: unknown[] = [];
    const created = await using({
      openLoop: async () => opened(openings.shift() ?? doneStep('failed')),
      cancelOwnWorkflow: async () => {
        const handle = held[0]?.client.workflow.getHandle(Context.current().info.workflowExecution?.workflowId ?? '');
        await handle?.signal(verbSignals.reopen, 'one more thing');
        await handle?.cancel();
      },
      control: async ({ request }: { request: unknown }) => {
        requests.push(request);
        return { ok: true, verb: 'reopen', status: 'queued', effect: 'reopened' };
      },
    });
    held.push(created);
    await expect((await created.start()).result()).resolves.toMatchObject({ status: 'completed' });
    expect(requests).toEqual([{ verb: 'reopen', message: 'one more thing' }]);
  });

  it('R69: a signal that fails for good does not end the workflow of its loop', async () => {
    const { start } = await using({
      openLoop: async () => opened(waitStep()),
      control: async () => {
        throw ApplicationFailure.nonRetryable('words', 'InternalError');
      },
      readNextStep: answers(doneStep('completed')),
    });
    const handle = await start();
    await handle.signal(verbSignals.pause);
    await expect(handle.result()).resolves.toMatchObject({ status: 'completed' });
  });

  it('R9: of a signal that is too large only its size is handed on, to be refused', async () => {
    const inputs: unknown[] = [];
    const { start } = await using({
      openLoop: async () => opened(waitStep()),
      control: async (input: unknown) => {
        inputs.push(input);
        return { ok: false, verb: 'unknown', status: 'paused', code: 'InvalidInput', message: 'too large' };
      },
      readNextStep: answers(doneStep('completed')),
    });
    const handle = await start();
    await handle.signal(verbSignals.steer, 'x'.repeat(300_000));
    await expect(handle.result()).resolves.toMatchObject({ status: 'completed' });
    expect(inputs).toMatchObject([{ request: null, leftOutChars: 300_029 }]);
  });
});
