import { z } from 'zod';
import { defineTool, type TypedToolDefinition } from '../../../src/agents/define-tool';
import type { ToolMiddleware } from '../../../src/agents/middleware';
import type { ToolContext, ToolDefinition } from '../../../src/agents/tool';
import { LostLease, SolidLoopError } from '../../../src/domain/errors';
import { runToolStack } from '../../../src/tools/run-tool-stack';
import { claimedCall, fakeToolPorts } from './fake-tool-ports';

function toolThat(run: TypedToolDefinition['run'], more: Partial<TypedToolDefinition> = {}): ToolDefinition {
  return defineTool({ name: 'act', description: 'Acts.', effect: 'read', run, ...more });
}

const throwing =
  (error: unknown): (() => never) =>
  () => {
    throw error;
  };

/** Stands between execution and response, so that both are written apart. */
const between: ToolMiddleware = (_context, next) => next();

describe('runToolStack', () => {
  describe('the plain stack', () => {
    it('R50, R55: runs the body and settles checkpoint and response in one transaction', async () => {
      const ports = fakeToolPorts();

      await expect(runToolStack({ claimed: claimedCall(toolThat(() => 'done')), ports })).resolves.toBe('settled');

      expect(ports.calls).toEqual([
        { port: 'body' },
        {
          port: 'settle',
          outcome: { result: 'done', isSuccess: true, durationSeconds: 0.5, errorMessage: null, stateChanges: [], metadata: {} },
          response: { content: 'done', isSuccess: true, durationSeconds: 0.5, metadata: {} },
        },
      ]);
    });

    it('R53, R81: gives the body its key, its loop, its principal and a heartbeat', async () => {
      const ports = fakeToolPorts();
      let given: ToolContext | undefined;
      const tool = toolThat((_input, context) => {
        given = context;
        context.heartbeat({ page: 2 });
      });

      await runToolStack({ claimed: claimedCall(tool, { agent: { principal: () => 'user 4' }, state: { seen: 1 } }), ports });

      expect(given).toMatchObject({
        idempotencyKey: 'solid_loop:tool_call:0190c5b2-0000-7000-8000-000000000001',
        agentName: 'helper',
        principal: 'user 4',
        state: { seen: 1 },
        loop: { id: '7' },
      });
      expect(ports.log).toContain('beat {"page":2}');
    });

    it('gives the body its checked and transformed arguments', async () => {
      const ports = fakeToolPorts();
      const tool = defineTool({
        name: 'act',
        description: 'Acts.',
        effect: 'read',
        input: z.object({ count: z.string().transform(Number), unit: z.string().default('books') }),
        run: ({ count, unit }) => `${count + 1} ${unit}`,
      });

      await runToolStack({ claimed: claimedCall(tool, { arguments: { count: '4' } }), ports });

      expect(ports.calls[1]).toMatchObject({ port: 'settle', outcome: { result: '5 books' } });
    });

    it('R43: leaves one wire event, written before the body and completed after it', async () => {
      const ports = fakeToolPorts();
      const tool = toolThat(() => (ports.log.push('body'), 'done'));

      await runToolStack({ claimed: claimedCall(tool, { arguments: { a: 1 } }), ports });

      expect(ports.log).toEqual([
        'wire start act {"a":1}',
        'live tool-start {"a":1}',
        'body',
        'live tool-end true done',
        'wire end "done"',
      ]);
    });

    it('R76: keeps the changes of the state with the checkpoint, in order', async () => {
      const ports = fakeToolPorts();
      const addOne = (state: { readonly count?: unknown }): { count: number } => ({ count: Number(state.count ?? 0) + 1 });
      const tool = toolThat((_input, { setState }) => {
        setState({ last: 'x' });
        setState(addOne);
      });

      await runToolStack({ claimed: claimedCall(tool), ports });

      expect(ports.calls[1]).toMatchObject({ port: 'settle', outcome: { stateChanges: [{ last: 'x' }, addOne] } });
    });

    it('R76: refuses a change of the state after the tool has ended', async () => {
      const ports = fakeToolPorts();
      let late: ToolContext['setState'] | undefined;
      await runToolStack({ claimed: claimedCall(toolThat((_input, { setState }) => void (late = setState))), ports });

      expect(() => late?.({ a: 1 })).toThrow(/setState was called after the tool had ended/);
    });

    it('P80: keeps images beside the text, never in it', async () => {
      const ports = fakeToolPorts();
      const tool = toolThat(() => [
        { type: 'text', text: 'shot' },
        { type: 'image', data: 'iVBORw0=', mimeType: 'image/png' },
      ]);

      await runToolStack({ claimed: claimedCall(tool), ports });

      const metadata = { images: [{ mimeType: 'image/png', data: 'iVBORw0=' }] };
      expect(ports.calls[1]).toMatchObject({
        port: 'settle',
        outcome: { result: 'shot\n[image 1: image/png, 1 kB]', metadata },
        response: { content: 'shot\n[image 1: image/png, 1 kB]', metadata },
      });
    });

    it('R76: cuts what the model sees of a long result, and keeps the whole on the call', async () => {
      const ports = fakeToolPorts();
      const whole = 'x'.repeat(5_000);

      await runToolStack({
        claimed: claimedCall(
          toolThat(() => whole),
          { agent: { maxToolResultChars: 1_000 } },
        ),
        ports,
      });

      const settled = ports.calls[1];
      if (settled?.port !== 'settle') throw new Error('not settled');
      expect(settled.outcome.result).toBe(whole);
      expect(settled.response.content.length).toBeLessThanOrEqual(1_000);
      expect(settled.response.content).toContain('of 5000 characters are left out here');
    });
  });

  describe('errors', () => {
    it('R76: what a tool throws is a value for the model', async () => {
      const ports = fakeToolPorts();

      await expect(runToolStack({ claimed: claimedCall(toolThat(throwing(new Error('no such book')))), ports })).resolves.toBe('settled');

      expect(ports.calls[1]).toMatchObject({
        port: 'settle',
        outcome: { result: 'The tool failed: no such book', isSuccess: false, errorMessage: 'no such book' },
        response: { content: 'The tool failed: no such book', isSuccess: false },
      });
      expect(ports.log.at(-1)).toBe('wire end error The tool failed: no such book');
    });

    it.each<readonly [string, Partial<TypedToolDefinition>, 'tell-model' | 'fail' | undefined]>([
      ['the tool says so', { onError: 'fail' }, undefined],
      ['the agent says so', {}, 'fail'],
    ])('R56, R76: what a tool throws fails the loop where %s, without a checkpoint', async (_who, more, onToolError) => {
      const ports = fakeToolPorts();
      const claimed = claimedCall(toolThat(throwing(new Error('no such book')), more), {
        agent: onToolError === undefined ? {} : { onToolError },
      });

      await expect(runToolStack({ claimed, ports })).resolves.toBe('failed');

      expect(ports.calls).toEqual([
        { port: 'body' },
        { port: 'fail', failure: { code: 'ToolFailed', message: 'the tool "act" failed: no such book' } },
      ]);
    });

    it('R76: the tool’s own word outranks the agent’s', async () => {
      const ports = fakeToolPorts();

      await runToolStack({
        claimed: claimedCall(toolThat(throwing(new Error('x')), { onError: 'tell-model' }), { agent: { onToolError: 'fail' } }),
        ports,
      });

      expect(ports.calls.map(({ port }) => port)).toEqual(['body', 'settle']);
    });

    it('R39, R76: refused arguments go to the model even where errors fail the loop', async () => {
      const ports = fakeToolPorts();
      const tool = defineTool({
        name: 'act',
        description: 'Acts.',
        input: z.object({ n: z.number().refine((n) => n % 2 === 0, 'must be even') }),
        onError: 'fail',
        run: () => 1,
      });

      await runToolStack({ claimed: claimedCall(tool, { arguments: { n: 3 } }), ports });

      expect(ports.calls[1]).toMatchObject({
        port: 'settle',
        outcome: { isSuccess: false, errorMessage: expect.stringContaining('n: must be even') as string },
      });
    });

    it.each<readonly [string, unknown, string]>([
      ['a string', 'plain words', 'plain words'],
      ['an error without a message', new TypeError(''), 'TypeError'],
      ['nothing', undefined, 'undefined'],
    ])('R76: tells something of %s that was thrown', async (_what, thrown, message) => {
      const ports = fakeToolPorts();

      await runToolStack({ claimed: claimedCall(toolThat(throwing(thrown))), ports });

      expect(ports.calls[1]).toMatchObject({ outcome: { errorMessage: message } });
    });

    it('R46: a tool that this worker does not know comes again', async () => {
      const ports = fakeToolPorts();
      const claimed = claimedCall(toolThat(() => 'x'));

      const run = runToolStack({ claimed: { ...claimed, call: { ...claimed.call, name: 'fly' } }, ports });

      await expect(run).rejects.toMatchObject({
        code: 'UnknownTool',
        message: 'agent "helper" has no tool "fly" on this worker; it has: act',
      });
      expect(ports.calls).toEqual([]);
    });

    it('R24: a database error is never a tool’s failure', async () => {
      const connectionLost = new Error('Connection terminated unexpectedly');
      const ports = fakeToolPorts({ settle: () => Promise.reject(connectionLost) });

      const run = runToolStack({ claimed: claimedCall(toolThat(() => 'x', { onError: 'fail' })), ports });

      await expect(run).rejects.toMatchObject({ code: 'DatabaseUnavailable', cause: connectionLost });
      expect(ports.calls).toEqual([{ port: 'body' }]);
    });

    it('R54, R57: a lost fence at the response ends the attempt and writes nothing else', async () => {
      const ports = fakeToolPorts({ settle: () => Promise.reject(new LostLease('the call')) });

      await expect(runToolStack({ claimed: claimedCall(toolThat(() => 'x')), ports })).rejects.toMatchObject({ code: 'LostLease' });
      expect(ports.calls).toEqual([{ port: 'body' }]);
    });
  });

  describe('middlewares of a user’s', () => {
    it('R54: where one stands between, the checkpoint is written before it runs and the response after it', async () => {
      const ports = fakeToolPorts();
      const seen: string[] = [];
      const claimed = claimedCall(
        toolThat(() => 'done'),
        {
          agent: {
            middleware: {
              tools: (stack) =>
                stack.insertAfter(
                  'tool-execution',
                  async (context, next) => (seen.push(`${ports.calls.at(-1)?.port} ${context.result}`), next()),
                  'look',
                ),
            },
          },
        },
      );

      await expect(runToolStack({ claimed, ports })).resolves.toBe('responded');

      expect(seen).toEqual(['checkpoint done']);
      expect(ports.calls.map(({ port }) => port)).toEqual(['body', 'checkpoint', 'respond']);
    });

    it('R50: the config’s changes come first, then the agent’s', async () => {
      const ports = fakeToolPorts();
      const order: string[] = [];
      const noting =
        (name: string): ToolMiddleware =>
        async (_context, next) => (order.push(name), next());
      const claimed = claimedCall(
        toolThat(() => 1),
        { agent: { middleware: { tools: (stack) => stack.insertAfter('from-config', noting('agent'), 'from-agent') } } },
      );

      await runToolStack({ claimed, ports, adjust: (stack) => stack.insertBefore('tool-execution', noting('config'), 'from-config') });

      expect(order).toEqual(['config', 'agent']);
    });

    it('R51: skipExecution keeps its result without running the body, and the rest of the chain runs', async () => {
      const ports = fakeToolPorts();
      const body = jest.fn();
      const claimed = claimedCall(toolThat(body), {
        agent: {
          middleware: {
            tools: (stack) =>
              stack.insertBefore(
                'tool-execution',
                async (context, next) => (context.skipExecution({ result: 'not allowed' }), next()),
                'gate',
              ),
          },
        },
      });

      await runToolStack({ claimed, ports });

      expect(body).not.toHaveBeenCalled();
      expect(ports.calls).toEqual([
        {
          port: 'settle',
          outcome: { result: 'not allowed', isSuccess: false, durationSeconds: 0, errorMessage: null, stateChanges: [], metadata: {} },
          response: { content: 'not allowed', isSuccess: false, durationSeconds: 0, metadata: {} },
        },
      ]);
    });

    it('R54, R57: one that throws after the checkpoint fails the loop, and the body does not run again', async () => {
      const ports = fakeToolPorts();
      const claimed = claimedCall(
        toolThat(() => 'done'),
        { agent: { middleware: { tools: (stack) => stack.insertAfter('tool-execution', throwing(new Error('broken')), 'broken') } } },
      );

      await expect(runToolStack({ claimed, ports })).resolves.toBe('failed');

      expect(ports.calls.map(({ port }) => port)).toEqual(['body', 'checkpoint', 'fail']);
      expect(ports.calls.at(-1)).toMatchObject({ failure: { code: 'InternalError', message: 'broken' } });
    });

    it('R24: one that throws after the response changes nothing', async () => {
      const ports = fakeToolPorts();
      const late = new Error('late');
      const claimed = claimedCall(
        toolThat(() => 'done'),
        {
          agent: {
            middleware: {
              tools: (stack) => stack.insertBefore('error-handling', async (_context, next) => (await next(), throwing(late)()), 'late'),
            },
          },
        },
      );

      await expect(runToolStack({ claimed, ports })).resolves.toBe('settled');
      expect(ports.calls.map(({ port }) => port)).toEqual(['body', 'settle', 'error-after-response']);
    });

    it('R17: an attempt that is lost between checkpoint and response writes no response', async () => {
      const ports = fakeToolPorts();
      const controller = new AbortController();
      const claimed = claimedCall(
        toolThat(() => 'done'),
        {
          signal: controller.signal,
          agent: {
            middleware: {
              tools: (stack) =>
                stack.insertAfter(
                  'tool-execution',
                  async (_context, next) => (controller.abort(new LostLease('the call')), next()),
                  'slow',
                ),
            },
          },
        },
      );

      await expect(runToolStack({ claimed, ports })).rejects.toBeInstanceOf(LostLease);
      expect(ports.calls.map(({ port }) => port)).toEqual(['body', 'checkpoint']);
    });

    it('says so where one does not call next', async () => {
      const ports = fakeToolPorts();
      const claimed = claimedCall(
        toolThat(() => 1),
        { agent: { middleware: { tools: (stack) => stack.insertBefore('tool-execution', async () => undefined, 'wall') } } },
      );

      await expect(runToolStack({ claimed, ports })).rejects.toThrow(/the middlewares of the call of "act" ended without a response/);
    });

    it('says so where the stack names a middleware that is not there', async () => {
      const claimed = claimedCall(
        toolThat(() => 1),
        { agent: { middleware: { tools: (stack) => stack.remove('tool-exec') } } },
      );

      await expect(runToolStack({ claimed, ports: fakeToolPorts() })).rejects.toMatchObject({ code: 'ConfigError' });
    });

    it('R55: a replaced execution is settled by the response', async () => {
      const ports = fakeToolPorts();
      const own: ToolMiddleware = async (context, next) => {
        context.result = 'mine';
        context.isSuccess = true;
        await next();
      };
      const claimed = claimedCall(
        toolThat(() => 1),
        { agent: { middleware: { tools: (stack) => stack.replace('tool-execution', own) } } },
      );

      await expect(runToolStack({ claimed, ports })).resolves.toBe('settled');
      expect(ports.calls).toMatchObject([{ port: 'settle', outcome: { result: 'mine', isSuccess: true } }]);
    });
  });

  describe('a call that an earlier attempt executed', () => {
    const executed = { result: 'kept', isSuccess: false, durationSeconds: 4, metadata: { images: [] } };

    it('R54: never runs its body again, and only writes the response', async () => {
      const ports = fakeToolPorts();
      const body = jest.fn();

      await expect(runToolStack({ claimed: claimedCall(toolThat(body), { executed }), ports })).resolves.toBe('responded');

      expect(body).not.toHaveBeenCalled();
      expect(ports.calls).toEqual([
        { port: 'respond', response: { content: 'kept', isSuccess: false, durationSeconds: 4, metadata: { images: [] } } },
      ]);
      expect(ports.log).toEqual([]);
    });

    it('R54: runs the middlewares between again, for they belong to the response', async () => {
      const ports = fakeToolPorts();
      const seen = jest.fn(between);
      const claimed = claimedCall(
        toolThat(() => 1),
        { executed, agent: { middleware: { tools: (stack) => stack.insertAfter('tool-execution', seen, 'between') } } },
      );

      await runToolStack({ claimed, ports });

      expect(seen).toHaveBeenCalledTimes(1);
    });

    it('R54: is not in need of the tool itself: a deploy may have removed it', async () => {
      const ports = fakeToolPorts();
      const claimed = claimedCall(
        toolThat(() => 1),
        { executed },
      );

      await expect(runToolStack({ claimed: { ...claimed, call: { ...claimed.call, name: 'gone' } }, ports })).resolves.toBe('responded');
    });
  });

  describe('a lost attempt', () => {
    it('R31: enters nothing', async () => {
      const ports = fakeToolPorts();

      const run = runToolStack({
        claimed: claimedCall(
          toolThat(() => 1),
          { signal: AbortSignal.abort(new LostLease('the call')) },
        ),
        ports,
      });

      await expect(run).rejects.toBeInstanceOf(LostLease);
      expect(ports.calls).toEqual([]);
      expect(ports.log).toEqual([]);
    });

    it('R58: an agent’s own error while it is aborted is told as the abort', async () => {
      const controller = new AbortController();
      const ports = fakeToolPorts();
      const claimed = claimedCall(
        toolThat(() => 1),
        {
          signal: controller.signal,
          agent: {
            principal: () => {
              controller.abort(new LostLease('the call'));
              throw new Error('confused');
            },
          },
        },
      );

      await expect(runToolStack({ claimed, ports })).rejects.toBeInstanceOf(LostLease);
      expect(ports.calls).toEqual([]);
    });
  });

  it.each(['McpUnreachable', 'DatabaseUnavailable'] as const)(
    'R24, R46: a body’s %s is no failure of the tool: it comes again',
    async (code) => {
      const ports = fakeToolPorts({ fail: () => Promise.reject(new Error('must not be called')) });
      const claimed = claimedCall(toolThat(throwing(new SolidLoopError(code, 'nobody answers'))));

      await expect(runToolStack({ claimed, ports })).rejects.toMatchObject({ code });
      expect(ports.calls).toEqual([{ port: 'body' }]);
    },
  );
});
