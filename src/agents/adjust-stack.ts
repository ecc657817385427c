/** Applies what config and agent do to a default stack: the config's changes first, the agent's own after them (R30, R50). */

import { SolidLoopError } from '../domain/errors';
import { MiddlewareStack } from './middleware-stack';

/** `owner` names the place in errors: `agent "librarian": middleware.tools`. */
export interface StackAdjuster<Context> {
  readonly owner: string;
  readonly adjust: ((stack: MiddlewareStack<Context>) => MiddlewareStack<Context>) | undefined;
}

/** @throws ConfigError where an adjuster names a middleware that is not there, or returns no stack */
export function adjustStack<Context>(
  stack: MiddlewareStack<Context>,
  adjusters: readonly StackAdjuster<Context>[],
): MiddlewareStack<Context> {
  return adjusters.reduce((current, { owner, adjust }) => {
    const adjusted: unknown = adjust === undefined ? current : adjust(current);
    if (adjusted instanceof MiddlewareStack) return adjusted as MiddlewareStack<Context>;
    throw new SolidLoopError('ConfigError', `${owner} must return the changed stack: stacks are immutable, each change gives a new one`, {
      field: owner,
    });
  }, stack);
}
