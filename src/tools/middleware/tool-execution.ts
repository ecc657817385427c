/** Runs the body, once, and keeps its outcome before any other code runs (R51, R54, R75, R76). */

import type { ToolExecutionContext, ToolMiddleware } from '../../agents/middleware';
import { SolidLoopError } from '../../domain/errors';
import type { JsonObject } from '../../domain/loop';
import { startBody, type BodyEnd } from '../execute-body';
import { keepOutcome, toOutcome } from '../keep-outcome';
import type { ToolOutcome } from '../ports';
import type { ToolRun } from '../tool-run';

export function toolExecution<Answer>(run: ToolRun<Answer>): ToolMiddleware {
  return async (context, next) => {
    if (!run.isCheckpointed) await (context.result === undefined ? executeAndKeep(context, run) : keepSkipped(context, run));
    await next();
  };
}

/** R51: the body was skipped by a middleware further out; its result is kept as if it had run. */
function keepSkipped<Answer>(context: ToolExecutionContext, run: ToolRun<Answer>): Promise<void> {
  const { result = '', isSuccess = false, duration = 0 } = context;
  return keepOutcome(context, run, toOutcome(run, { result, isSuccess, durationSeconds: duration, errorMessage: null }));
}

async function executeAndKeep<Answer>(context: ToolExecutionContext, run: ToolRun<Answer>): Promise<void> {
  const { tool, toolContext, agent, call, guard } = context;
  if (tool === undefined || toolContext === undefined)
    throw new SolidLoopError('ConfigError', 'tool-execution ran without agent-initialization before it');
  run.ports.onBodyEntered();
  const startedMs = run.ports.now();
  const secondsSoFar = (): number => (run.ports.now() - startedMs) / 1_000;
  const body = startBody({
    tool,
    effect: call.effect,
    input: call.arguments,
    context: toolContext,
    attemptSignal: guard.signal,
    limitSeconds: tool.timeoutSeconds ?? run.ports.settings.defaultToolTimeout,
    onError: tool.onError ?? agent.onToolError ?? 'tell-model',
  });
  const isUnsafe = call.effect === 'unsafe';
  const end = await body.end.catch((error: unknown) => {
    if (isUnsafe) void keepLateEnd(body.ownEnd, run, secondsSoFar);
    throw error;
  });
  if (end.kind === 'timed-out' && isUnsafe) {
    void keepLateEnd(body.ownEnd, run, secondsSoFar);
    run.answer = { value: await run.ports.settleUnknown(end.message) };
    context.isSuccess = false;
    return;
  }
  await keepOutcome(context, run, outcomeOf(end, run, secondsSoFar()));
}

/** What an `unsafe` body did is a fact, whoever waits for it (R54, R60). Its failure to end says nothing. */
function keepLateEnd<Answer>(ownEnd: Promise<BodyEnd>, run: ToolRun<Answer>, secondsSoFar: () => number): Promise<void> {
  return ownEnd.then(
    (end) => run.ports.checkpointLate(outcomeOf(end, run, secondsSoFar())),
    () => run.ports.onLateEndUnknown(),
  );
}

function outcomeOf<Answer>(end: BodyEnd, run: ToolRun<Answer>, durationSeconds: number): ToolOutcome {
  if (end.kind !== 'returned') {
    const result = `The tool failed: ${end.message}`;
    return toOutcome(run, { result, isSuccess: false, durationSeconds, errorMessage: end.message });
  }
  const { text, images } = end.result;
  if (images.length > 0) run.metadata = { ...run.metadata, images: images as unknown as JsonObject[] };
  return toOutcome(run, { result: text, isSuccess: true, durationSeconds, errorMessage: null });
}
