/** Runs a tool's body once, under its time limit, and tells how it ended as a value. */

import { ArgumentsRefused } from '../agents/arguments-refused';
import type { ToolContext, ToolDefinition } from '../agents/tool';
import { type ErrorCode, SolidLoopError, isSolidLoopError, messageOf } from '../domain/errors';
import type { JsonObject } from '../domain/loop';
import type { ToolEffect } from '../domain/tool-call';
import { toResultText, type ResultText } from './result-text';

export interface BodyRun {
  readonly tool: ToolDefinition;
  /** As the call's row has it: what was promised when the model was answered. */
  readonly effect: ToolEffect;
  readonly input: JsonObject;
  readonly context: ToolContext;
  /** The attempt's own signal: pause, stop, takeover, shutdown, Temporal's cancel. */
  readonly attemptSignal: AbortSignal;
  readonly limitSeconds: number;
  readonly onError: 'tell-model' | 'fail';
}

export type BodyEnd =
  | { readonly kind: 'returned'; readonly result: ResultText }
  /** For the model: what was thrown, or the arguments that were refused. */
  | { readonly kind: 'threw'; readonly message: string }
  | { readonly kind: 'timed-out'; readonly message: string };

export interface StartedBody {
  /**
   * @throws the attempt's reason where it was aborted: what the body did then is no answer (R54)
   * @throws ToolFailed where the body threw and errors are to fail the loop (R76)
   */
  readonly end: Promise<BodyEnd>;
  /** How the body itself ended, whoever waited. Rejects as `end` does. */
  readonly ownEnd: Promise<BodyEnd>;
}

/**
 * A body with effect `read` or `idempotent` is aborted with the attempt and not waited for. An `unsafe` one sees its time limit only:
 * it is let finish, so that what it did is known (R60); a worker that shuts down waits for neither.
 */
export function startBody(run: BodyRun): StartedBody {
  const isUnsafe = run.effect === 'unsafe';
  const deadline = startDeadline(run.limitSeconds);
  const signal = isUnsafe ? deadline.signal : AbortSignal.any([run.attemptSignal, deadline.signal]);
  const ownEnd = endOfBody(run, signal);
  const aborted = whenAborted(run.attemptSignal, (reason) => !isUnsafe || isSolidLoopError(reason, 'WorkerShutdown'));
  const end = Promise.race([ownEnd, aborted.promise, deadline.passed]).finally(() => {
    aborted.stop();
    deadline.stop();
  });
  return { end, ownEnd };
}

async function endOfBody({ tool, effect, input, context, attemptSignal, onError }: BodyRun, signal: AbortSignal): Promise<BodyEnd> {
  try {
    const value = await tool.run(input, { ...context, signal });
    return { kind: 'returned', result: toResultText(value) };
  } catch (error) {
    if (attemptSignal.aborted && effect !== 'unsafe') throw attemptSignal.reason;
    if (isSolidLoopError(error) && IS_NO_FAILURE.has(error.code)) throw error;
    if (onError === 'tell-model' || error instanceof ArgumentsRefused) return { kind: 'threw', message: sentenceOf(error) };
    throw new SolidLoopError('ToolFailed', `the tool "${tool.name}" failed: ${sentenceOf(error)}`, { cause: error, field: tool.name });
  }
}

/** Neither the tool's nor the model's (R24, R46): the attempt comes again. */
const IS_NO_FAILURE: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['DatabaseUnavailable', 'McpUnreachable']);

const sentenceOf = (error: unknown): string =>
  messageOf(error).trim() || (error instanceof Error ? error.name : 'an error without a message');

interface Deadline {
  readonly signal: AbortSignal;
  readonly passed: Promise<BodyEnd>;
  readonly stop: () => void;
}

function startDeadline(seconds: number): Deadline {
  const controller = new AbortController();
  const message = `the tool did not end within its limit of ${seconds} s`;
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<BodyEnd>((resolve) => {
    timer = setTimeout(() => {
      resolve({ kind: 'timed-out', message });
      controller.abort(new Error(message));
    }, seconds * 1_000);
  });
  return { signal: controller.signal, passed, stop: () => clearTimeout(timer) };
}

function whenAborted(
  signal: AbortSignal,
  counts: (reason: unknown) => boolean,
): { readonly promise: Promise<never>; readonly stop: () => void } {
  let stop = (): void => undefined;
  const promise = new Promise<never>((_resolve, reject) => {
    const onAbort = (): void => {
      if (counts(signal.reason)) reject(signal.reason as Error);
    };
    stop = () => signal.removeEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
  return { promise, stop };
}
