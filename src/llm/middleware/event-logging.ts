/** Middleware: says what is asked of the model and what came of it, to the log and to those who watch. */

import type { LlmContext, LlmMiddleware } from '../../agents/middleware';
import { messageOf } from '../../domain/errors';
import { withoutSecrets } from '../errors/without-secrets';
import type { LlmPorts } from '../ports';

export function eventLogging(ports: LlmPorts): LlmMiddleware {
  return async (context, next) => {
    const startedAt = ports.now();
    const seconds = (): number => (ports.now() - startedAt) / 1000;
    ports.logger?.debug(
      { ...fieldsOf(context), event: 'model-request', tools: context.tools.length, messages: context.transcript.length },
      'asking the model',
    );
    ports.live.push({ type: 'status', status: 'asking the model' });
    try {
      await next();
    } catch (error) {
      ports.logger?.warn(
        { ...fieldsOf(context), event: 'model-failure', seconds: seconds(), error: withoutSecrets(messageOf(error), context, ports) },
        'the model gave no answer',
      );
      throw error;
    }
    reportAnswer(context, ports, seconds());
  };
}

function reportAnswer(context: LlmContext, ports: LlmPorts, seconds: number): void {
  const { answer, finishReason } = context;
  if (answer === undefined) return;
  const { usage, cost } = answer;
  ports.logger?.info(
    { ...fieldsOf(context), event: 'model-response', finishReason, calls: answer.calls.length, usage, cost: cost.amountUsd, seconds },
    'the model answered',
  );
  ports.live.push({ type: 'cost', amountUsd: cost.amountUsd, isKnown: cost.isKnown });
}

function fieldsOf({ loop, turnNumber, generation, model }: LlmContext): Readonly<Record<string, unknown>> {
  return { loop: loop.id, turn: turnNumber, generation, model: model?.name };
}
