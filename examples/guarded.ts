/** An agent with middlewares of its own: a gate before its tools, a field in its requests; and a second model for bad days. */

import { defineAgent, defineTool, type Agent, type LlmMiddleware, type ModelSettings, type ToolMiddleware } from '../src/index';

/** Guests may look, and change nothing. */
const readersOnly: ToolMiddleware = async (context, next) => {
  if (context.toolContext?.principal === 'guest' && context.call.effect !== 'read') {
    context.skipExecution({ result: 'Guests may not do this. Ask them to sign in.' });
  }
  await next();
};

/** Lets the provider tell our users apart. */
const nameUser: LlmMiddleware = async (context, next) => {
  context.request = { ...context.request, user: context.loop.subject?.id ?? 'guest' };
  await next();
};

const wipeShelf = defineTool({
  name: 'wipe_shelf',
  description: 'Empties a shelf.',
  input: {
    type: 'object',
    properties: { shelf: { type: 'integer', minimum: 1 } },
    required: ['shelf'],
    additionalProperties: false,
  },
  run: ({ shelf }) => `shelf ${Number(shelf)} is empty`,
});

export function createGuardedAgent(model: ModelSettings, secondModel: ModelSettings): Agent {
  return defineAgent({
    name: 'caretaker',
    model,
    fallbacks: [{ model: secondModel, on: ['overloaded', 'quota'] }],
    tools: [wipeShelf],
    toolCalls: 'sequential',
    principal: ({ loop }) => loop.subject?.id ?? 'guest',
    middleware: {
      llm: (stack) => stack.insertAfter('message-building', nameUser),
      tools: (stack) => stack.insertBefore('event-logging', readersOnly),
    },
  });
}
