import { defineTool } from '../../../src/agents/define-tool';
import type { ToolContext, ToolDefinition } from '../../../src/agents/tool';
import { LostLease, WorkerShutdown } from '../../../src/domain/errors';
import type { ToolEffect } from '../../../src/domain/tool-call';
import { runToolStack } from '../../../src/tools/run-tool-stack';
import { claimedCall, fakeToolPorts } from './fake-tool-ports';

/** A body that a test ends by hand. */
class HeldBody {
  readonly tool: ToolDefinition;
  readonly entered: Promise<ToolContext>;
  finish: (result: unknown) => void = () => undefined;
  fail: (error: Error) => void = () => undefined;

  constructor(effect: ToolEffect, more: { readonly timeoutSeconds?: number; readonly onError?: 'fail' } = {}) {
    let enter: (context: ToolContext) => void = () => undefined;
    this.entered = new Promise((resolve) => (enter = resolve));
    const run = (_input: unknown, context: ToolContext): Promise<unknown> =>
      new Promise((resolve, reject) => {
        this.finish = resolve;
        this.fail = reject;
        enter(context);
      });
    this.tool = defineTool({ name: 'act', description: 'Acts.', effect, run, ...more });
  }
}

const lost = new LostLease('the call');

/** Lets what is settled be noticed. */
const turnOfEvents = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('an attempt that is aborted while the body runs', () => {
  it.each<ToolEffect>(['read', 'idempotent'])('R54, R60: a %s body is aborted and not waited for', async (effect) => {
    const body = new HeldBody(effect);
    const ports = fakeToolPorts();
    const controller = new AbortController();
    const run = runToolStack({ claimed: claimedCall(body.tool, { signal: controller.signal }), ports });
    const context = await body.entered;

    controller.abort(lost);

    await expect(run).rejects.toBe(lost);
    expect(context.signal.aborted).toBe(true);
    body.finish('too late');
    await turnOfEvents();
    expect(ports.calls).toEqual([{ port: 'body' }]);
  });

  it('R54: what a body throws once it was aborted is no answer', async () => {
    const tool = defineTool({
      name: 'act',
      description: 'Acts.',
      effect: 'read',
      run: (_input, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('socket closed')))),
    });
    const ports = fakeToolPorts();
    const controller = new AbortController();
    const run = runToolStack({ claimed: claimedCall(tool, { signal: controller.signal }), ports });
    await turnOfEvents();

    controller.abort(lost);

    await expect(run).rejects.toBe(lost);
    expect(ports.calls).toEqual([{ port: 'body' }]);
  });

  it('R54, R60: a started unsafe body is let finish, and what it did is kept', async () => {
    const body = new HeldBody('unsafe');
    const ports = fakeToolPorts();
    const controller = new AbortController();
    const run = runToolStack({ claimed: claimedCall(body.tool, { signal: controller.signal }), ports });
    const context = await body.entered;

    controller.abort(lost);
    await turnOfEvents();
    expect(context.signal.aborted).toBe(false);
    body.finish('paid');

    await expect(run).resolves.toBe('settled');
    expect(ports.calls.at(-1)).toMatchObject({ port: 'settle', outcome: { result: 'paid', isSuccess: true } });
  });

  it('R46, R54: a shutdown waits for no body, but keeps what an unsafe one did if it ends in time', async () => {
    const body = new HeldBody('unsafe');
    const ports = fakeToolPorts();
    const controller = new AbortController();
    const run = runToolStack({ claimed: claimedCall(body.tool, { signal: controller.signal }), ports });
    await body.entered;

    const shutdown = new WorkerShutdown();
    controller.abort(shutdown);
    await expect(run).rejects.toBe(shutdown);
    body.finish('paid');
    await turnOfEvents();

    expect(ports.calls.at(-1)).toMatchObject({ port: 'late', outcome: { result: 'paid' } });
  });
});

describe('a body that passes its time limit', () => {
  afterEach(() => jest.useRealTimers());

  it('R45: is told to the model as a failure, and its signal is aborted', async () => {
    jest.useFakeTimers();
    const body = new HeldBody('read', { timeoutSeconds: 5 });
    const ports = fakeToolPorts();
    const run = runToolStack({ claimed: claimedCall(body.tool), ports });
    const context = await body.entered;

    await jest.advanceTimersByTimeAsync(5_000);

    await expect(run).resolves.toBe('settled');
    expect(context.signal.aborted).toBe(true);
    expect(ports.calls.at(-1)).toMatchObject({
      port: 'settle',
      outcome: {
        isSuccess: false,
        result: 'The tool failed: the tool did not end within its limit of 5 s',
        errorMessage: 'the tool did not end within its limit of 5 s',
      },
    });
  });

  it('R45: has the setting’s limit where the tool names none', async () => {
    jest.useFakeTimers();
    const body = new HeldBody('read');
    const ports = fakeToolPorts();
    const run = runToolStack({ claimed: claimedCall(body.tool), ports });
    await body.entered;

    await jest.advanceTimersByTimeAsync(599_999);
    expect(ports.calls).toEqual([{ port: 'body' }]);
    await jest.advanceTimersByTimeAsync(1);

    await expect(run).resolves.toBe('settled');
  });

  it('R75: an unsafe one is answered as unknown, and what it did is kept when it ends', async () => {
    jest.useFakeTimers();
    const body = new HeldBody('unsafe', { timeoutSeconds: 5 });
    const ports = fakeToolPorts();
    const run = runToolStack({ claimed: claimedCall(body.tool), ports });
    await body.entered;

    await jest.advanceTimersByTimeAsync(5_000);
    await expect(run).resolves.toBe('unknown');
    expect(ports.calls.at(-1)).toEqual({ port: 'unknown', reason: 'the tool did not end within its limit of 5 s' });

    body.finish('paid after all');
    await jest.advanceTimersByTimeAsync(0);
    expect(ports.calls.at(-1)).toMatchObject({ port: 'late', outcome: { result: 'paid after all', isSuccess: true } });
  });

  it('R75: an unsafe one that then fails, where errors fail the loop, stays unknown', async () => {
    jest.useFakeTimers();
    const body = new HeldBody('unsafe', { timeoutSeconds: 5, onError: 'fail' });
    const ports = fakeToolPorts();
    const run = runToolStack({ claimed: claimedCall(body.tool), ports });
    await body.entered;
    await jest.advanceTimersByTimeAsync(5_000);
    await run;

    body.fail(new Error('refused'));
    await jest.advanceTimersByTimeAsync(0);

    expect(ports.calls.map(({ port }) => port)).toEqual(['body', 'unknown', 'late-unknown']);
  });

  it('leaves no timer behind', async () => {
    jest.useFakeTimers();
    const ports = fakeToolPorts();
    await runToolStack({ claimed: claimedCall(defineTool({ name: 'act', description: 'Acts.', run: () => 1 })), ports });

    expect(jest.getTimerCount()).toBe(0);
  });
});
