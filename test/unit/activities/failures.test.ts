/** The one table from errors to Temporal's failures: what comes again and what is final, and that no text crosses. */

import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { toFailure } from '../../../src/activities/failures';
import { ERROR_CODES, type ErrorCode, LostLease, SolidLoopError, WorkerShutdown } from '../../../src/domain/errors';
import { toId } from '../../../src/domain/ids';

/** Everything else is final (R46). */
const RETRYABLE: readonly ErrorCode[] = [
  'LostLease',
  'WorkerShutdown',
  'DatabaseUnavailable',
  'ProviderRetryable',
  'ToolStillRunning',
  'McpUnreachable',
  'TemporalUnavailable',
  'UnknownAgent',
  'UnknownTool',
  'SchemaMismatch',
];
const SECRET = 'the marmalade text of a user';

const failureOf = (error: unknown, attempt = 1): ApplicationFailure => {
  const failure = toFailure(error, { attempt });
  if (!(failure instanceof ApplicationFailure)) throw new Error(`not a failure of the application: ${failure.name}`);
  return failure;
};

describe('an error that leaves an activity', () => {
  it.each(ERROR_CODES)('R28, R46: %s comes again only where it may pass', (code) => {
    const { type, nonRetryable } = failureOf(new SolidLoopError(code, 'text'));
    expect({ type, nonRetryable }).toEqual({ type: code, nonRetryable: !RETRYABLE.includes(code) });
  });

  it.each(ERROR_CODES.filter((code) => !['StartRefused', 'LoopExists', 'LoopNotFound'].includes(code)))(
    'R9: %s takes no text along',
    (code) => {
      expect(JSON.stringify(failureOf(new SolidLoopError(code, SECRET, { cause: new Error(SECRET) })))).not.toContain('marmalade');
    },
  );

  it('R9, R46: what nobody expected is final, and its text stays behind', () => {
    const { type, nonRetryable, message } = failureOf(new TypeError(SECRET));
    expect({ type, nonRetryable }).toEqual({ type: 'InternalError', nonRetryable: true });
    expect(message).not.toContain('marmalade');
  });

  it.each([new LostLease('turn 1'), new WorkerShutdown()])(
    'R46: $code comes again after milliseconds, from the second in a row by Temporal’s back-off',
    (error) => {
      expect(failureOf(error).nextRetryDelay).toBe(50);
      expect(failureOf(error, 2).nextRetryDelay).toBeUndefined();
    },
  );

  it('R46: a provider’s hint is kept', () => {
    expect(failureOf(new SolidLoopError('ProviderRetryable', 'text', { retryAfterMs: 1234.5 })).nextRetryDelay).toBe(1235);
  });

  it('R27: the generation that the step had claimed goes along', () => {
    const failure = toFailure(new SolidLoopError('InvalidState', 'text'), { attempt: 1, generation: toId('7') });
    expect((failure as ApplicationFailure).details).toEqual([{ generation: '7' }]);
  });

  it('R58: a cancellation of Temporal’s, and a failure that is one already, pass through', () => {
    const cancelled = new CancelledFailure('CANCELLED');
    const failed = ApplicationFailure.nonRetryable('words', 'Code');
    expect([toFailure(cancelled, { attempt: 1 }), toFailure(failed, { attempt: 1 })]).toEqual([cancelled, failed]);
  });
});
