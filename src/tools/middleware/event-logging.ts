/** One wire-log event for each run of a body, before it and after it, and the same for those who watch (R43). */

import type { ToolExecutionContext, ToolMiddleware } from '../../agents/middleware';
import { messageOf } from '../../domain/errors';
import { UNKNOWN_OUTCOME_TEXT } from '../../domain/tool-call';
import type { ToolRun } from '../tool-run';

export function eventLogging<Answer>({ ports }: ToolRun<Answer>): ToolMiddleware {
  return async (context, next) => {
    if (context.call.isExecuted) return next();
    const { call } = context;
    const complete = await ports.wire.start({
      kind: 'tool-call',
      name: call.name,
      method: 'CALL',
      url: `tool:${call.name}`,
      parameters: call.arguments,
      messages: [],
      headers: {},
    });
    ports.live.push({ type: 'tool-start', callId: call.id, name: call.name, arguments: JSON.stringify(call.arguments) });
    const startedMs = ports.now();
    const durationSeconds = (): number => context.duration ?? (ports.now() - startedMs) / 1_000;
    try {
      await next();
    } catch (error) {
      await complete({ error: messageOf(error), durationSeconds: durationSeconds() });
      throw error;
    }
    pushEnd(context);
    const result = context.result ?? UNKNOWN_OUTCOME_TEXT;
    await complete({ ...(context.isSuccess === true ? { response: result } : { error: result }), durationSeconds: durationSeconds() });
  };

  function pushEnd({ call, isSuccess, result }: ToolExecutionContext): void {
    ports.live.push({
      type: 'tool-end',
      callId: call.id,
      name: call.name,
      isSuccess: isSuccess === true,
      ...(result === undefined ? {} : { result }),
    });
  }
}
