/** One attempt of a step, from its first line to its last: heartbeat, signal, lease registration, time limit. */

import { Context } from '@temporalio/activity';
import { CancelledFailure } from '@temporalio/common';
import type { AttemptGuard } from '../agents/middleware';
import type { ClaimedFence, Lease, LeaseHandle } from '../db/leases/lease-registration';
import type { LeaseRenewer } from '../db/leases/lease-renewer';
import { LostLease, type SolidLoopError, WorkerShutdown } from '../domain/errors';
import type { Generation } from '../domain/ids';
import { type FailureContext, toFailure } from './failures';
import { type Heartbeat, startHeartbeat } from './heartbeat';

/** A longer timer of Node's would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A lease as an attempt asks for it; the attempt itself is what a loss aborts. */
export type LeaseToHold = WithoutOnLost<Lease>;
type WithoutOnLost<Terms> = Terms extends Lease ? Omit<Terms, 'onLost'> : never;

export interface Attempt {
  readonly guard: AttemptGuard;
  readonly heartbeat: Heartbeat;
  /** Temporal's scheduled time of this attempt: the order of takeover (R26). */
  readonly scheduledMs: number;
  /** Registers with the renewer, before the claim: a pause between the two is seen. */
  readonly register: (lease: LeaseToHold) => void;
  /** The claim was won: from here on the registration is renewed and watched. */
  readonly hold: (fence: ClaimedFence, generation: Generation) => void;
  /**
   * The body of an `unsafe` call is entered: only a later claim takes it now, and it may outlive this attempt (R60).
   * Its lease is renewed until it ends, so that nobody asks for its outcome too early (R75).
   */
  readonly keepLeasePastEnd: () => void;
  /** Renewal stops: before the transaction that answers a call, and when a kept body has ended (R20). */
  readonly endLease: () => void;
  /** Renewal stops before the commit transaction starts (R20), unless the lease is kept past the end. Harmless when repeated. */
  readonly release: () => void;
  /** Ends the attempt after so long, with this error. Seconds. */
  readonly limit: (seconds: number, error: () => SolidLoopError) => void;
  /** Where the attempt before this one was when it last beat. */
  readonly lastPhase: string | undefined;
}

/** Runs the body as one attempt. Whatever it throws leaves as a failure of Temporal's, mapped once. */
export async function withAttempt<Result>(renewer: LeaseRenewer, body: (attempt: Attempt) => Promise<Result>): Promise<Result> {
  const context = Context.current();
  const controller = new AbortController();
  const heartbeat = startHeartbeat(context);
  let held: FailureContext = { attempt: context.info.attempt };
  let lease: LeaseHandle | undefined;
  let isLeaseKept = false;
  let timer: NodeJS.Timeout | undefined;

  const abort = (reason: unknown): void => controller.abort(reason);
  const onCancelled = (): void => abort(cancellationReason(context));
  context.cancellationSignal.addEventListener('abort', onCancelled, { once: true });
  if (context.cancellationSignal.aborted) onCancelled();

  const attempt: Attempt = {
    guard: { signal: controller.signal, assertHeld: () => controller.signal.throwIfAborted() },
    heartbeat,
    scheduledMs: context.info.currentAttemptScheduledTimestampMs,
    register: (terms) => {
      lease = renewer.register({
        ...terms,
        onLost: (reason) => abort(new LostLease(`the ${terms.kind} of loop ${terms.loopId} (${reason})`)),
      });
    },
    hold: (fence, generation) => {
      held = { ...held, generation };
      lease?.arm(fence);
    },
    keepLeasePastEnd: () => {
      isLeaseKept = true;
      lease?.markUnsafeStarted();
    },
    endLease: () => {
      isLeaseKept = false;
      lease?.deregister();
    },
    release: () => {
      if (!isLeaseKept) lease?.deregister();
    },
    limit: (seconds, error) => {
      clearTimeout(timer);
      timer = setTimeout(() => abort(error()), Math.min(seconds * 1000, LONGEST_TIMER_MS));
    },
    lastPhase: phaseOf(context.info.heartbeatDetails),
  };
  try {
    return await body(attempt);
  } catch (error) {
    throw toFailure(reasonFor(error, context), held);
  } finally {
    attempt.release();
    heartbeat.stop();
    clearTimeout(timer);
    context.cancellationSignal.removeEventListener('abort', onCancelled);
  }
}

const phaseOf = (details: unknown): string | undefined =>
  details !== null && typeof details === 'object' && 'phase' in details && typeof details.phase === 'string' ? details.phase : undefined;

/** R58: where several causes aborted the attempt, Temporal's reason is what is thrown. */
function reasonFor(error: unknown, context: Context): unknown {
  return context.cancellationSignal.aborted && (error instanceof LostLease || error instanceof WorkerShutdown || isAbort(error))
    ? cancellationReason(context)
    : error;
}

/** A shutdown is our own retryable failure; every other cancellation is Temporal's. */
function cancellationReason(context: Context): unknown {
  return context.cancellationDetails?.workerShutdown === true ? new WorkerShutdown() : context.cancellationSignal.reason;
}

const isAbort = (error: unknown): boolean => error instanceof CancelledFailure || (error instanceof Error && error.name === 'AbortError');
