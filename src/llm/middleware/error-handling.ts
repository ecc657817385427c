/** Middleware: turns what went wrong into a final end of the turn, or into an error that comes again (R41, R46). Outermost. */

import type { LlmContext, LlmMiddleware } from '../../agents/middleware';
import { isSolidLoopError, messageOf, SolidLoopError } from '../../domain/errors';
import type { TurnFailure } from '../../domain/turn';
import { classifyProviderError, type Classification } from '../errors/classify-provider-error';
import { nameTools } from '../errors/name-tools';
import { passesThrough } from '../errors/passes-through';
import { withoutSecrets } from '../errors/without-secrets';
import type { LlmPorts } from '../ports';

export function errorHandling(ports: LlmPorts): LlmMiddleware {
  return async (context, next) => {
    const startedAt = ports.now();
    try {
      await next();
    } catch (error) {
      if (context.guard.signal.aborted && context.rawMessage === undefined) throw context.guard.signal.reason;
      if (passesThrough(error)) throw error;
      const outcome = toOutcome(error, { context, ports, durationSeconds: (ports.now() - startedAt) / 1000 });
      context.failure = { outcome, error };
    }
  };
}

interface OutcomeOptions {
  readonly context: LlmContext;
  readonly ports: LlmPorts;
  readonly durationSeconds: number;
}

/** @throws ProviderRetryable with the time at which to come again, where it is known */
function toOutcome(error: unknown, { context, ports, durationSeconds }: OutcomeOptions): TurnFailure {
  const classified = classifyForTurn(error, ports);
  if (classified === undefined)
    return {
      kind: 'failed',
      code: isSolidLoopError(error) ? error.code : 'InternalError',
      message: withoutSecrets(messageOf(error), context, ports),
      durationSeconds,
    };
  const message = withoutSecrets(nameTools(classified.message, context.request), context, ports);
  if (classified.kind === 'retryable') {
    const { retryAfterMs } = classified;
    throw new SolidLoopError('ProviderRetryable', message, { cause: error, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });
  }
  if (classified.kind === 'context-limit') return { kind: 'context-limit', message: `Context limit reached: ${message}`, durationSeconds };
  return { kind: 'failed', code: classified.code, message, durationSeconds };
}

/** With the clock and the bound of this engine. */
export function classifyForTurn(
  error: unknown,
  { settings, wallClock = Date.now }: Pick<LlmPorts, 'settings' | 'wallClock'>,
): Classification | undefined {
  return classifyProviderError(error, { now: wallClock(), hintMaximumMs: settings.providerRetryHintMaximum * 1000 });
}
