/** Wraps an activity that needs no heartbeat: whatever it throws leaves as a failure of Temporal's, mapped once. */

import { Context } from '@temporalio/activity';
import { toFailure } from './failures';

export const withMappedFailures =
  <Arguments extends readonly unknown[], Result>(activity: (...args: Arguments) => Promise<Result>) =>
  async (...args: Arguments): Promise<Result> => {
    try {
      return await activity(...args);
    } catch (error) {
      throw toFailure(error, { attempt: Context.current().info.attempt });
    }
  };
