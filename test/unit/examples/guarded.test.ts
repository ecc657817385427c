import { createGuardedAgent } from '../../../examples/guarded';
import { MiddlewareStack } from '../../../src/agents/middleware-stack';
import type { LlmContext, LlmStack } from '../../../src/agents/middleware';
import { runToolStack } from '../../../src/tools/run-tool-stack';
import { anyLoop } from '../../support/any-loop';
import { claimedCall, fakeToolPorts } from '../tools/fake-tool-ports';

describe('the guarded agent', () => {
  const agent = createGuardedAgent({ name: 'm' }, { name: 'm2' });
  const [wipeShelf] = agent.tools ?? [];

  async function callFor(subjectId: string | undefined): Promise<unknown> {
    if (wipeShelf === undefined) throw new Error('no tool');
    const ports = fakeToolPorts();
    const claimed = claimedCall(wipeShelf, { arguments: { shelf: 3 } });
    const loop = anyLoop({ subject: subjectId === undefined ? null : { type: 'User', id: subjectId } });
    await runToolStack({ claimed: { ...claimed, agent, loop }, ports });
    return ports.calls.at(-1);
  }

  it('R51: keeps guests from what changes something, and lets others do it', async () => {
    await expect(callFor(undefined)).resolves.toMatchObject({
      response: { content: 'Guests may not do this. Ask them to sign in.', isSuccess: false },
    });
    await expect(callFor('anna')).resolves.toMatchObject({ response: { content: 'shelf 3 is empty', isSuccess: true } });
  });

  it('R30: adds its field to the request', async () => {
    const context = { loop: anyLoop({ subject: { type: 'User', id: 'anna' } }), request: { model: 'm' } } as unknown as LlmContext;
    const stack: LlmStack = new MiddlewareStack([{ name: 'message-building', middleware: (_context, next) => next() }]);

    await agent.middleware?.llm?.(stack).run(context, { signal: new AbortController().signal, assertHeld: () => undefined });

    expect(context.request).toEqual({ model: 'm', user: 'anna' });
  });
});
