/** Wraps an activity that is a short look at the tables: it beats, so that its process's death is noticed, and its failures are mapped once. */

import { Context } from '@temporalio/activity';
import { toFailure } from './failures';
import { startHeartbeat } from './heartbeat';

export const withMappedFailures =
  <Arguments extends readonly unknown[], Result>(activity: (...args: Arguments) => Promise<Result>) =>
  async (...args: Arguments): Promise<Result> => {
    const context = Context.current();
    const heartbeat = startHeartbeat(context);
    try {
      return await activity(...args);
    } catch (error) {
      throw toFailure(error, { attempt: context.info.attempt });
    } finally {
      heartbeat.stop();
    }
  };
