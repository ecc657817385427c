import { adjustStack } from '../../../src/agents/adjust-stack';
import type { AttemptGuard, Middleware } from '../../../src/agents/middleware';
import { MiddlewareStack } from '../../../src/agents/middleware-stack';
import { LostLease } from '../../../src/domain/errors';

interface Trace {
  readonly steps: string[];
}

const tracing = (name: string): Middleware<Trace> =>
  Object.defineProperty(
    async (context: Trace, next: () => Promise<void>) => {
      context.steps.push(`${name} in`);
      await next();
      context.steps.push(`${name} out`);
    },
    'name',
    { value: name },
  );

const entry = (name: string): { readonly name: string; readonly middleware: Middleware<Trace> } => ({ name, middleware: tracing(name) });

const heldGuard: AttemptGuard = { signal: new AbortController().signal, assertHeld: () => undefined };

async function run(stack: MiddlewareStack<Trace>, guard = heldGuard): Promise<readonly string[]> {
  const context: Trace = { steps: [] };
  await stack.run(context, guard);
  return context.steps;
}

describe('MiddlewareStack', () => {
  const stack = new MiddlewareStack([entry('outer'), entry('inner')]);

  it('R30, R50: runs the first listed outermost', async () => {
    await expect(run(stack)).resolves.toEqual(['outer in', 'inner in', 'inner out', 'outer out']);
  });

  it('R30, R50: inserts before and after, replaces and removes by name', async () => {
    const changed = stack
      .insertBefore('inner', tracing('before'))
      .insertAfter('inner', tracing('after'))
      .replace('inner', tracing('other'))
      .remove('outer');

    expect(changed.names).toEqual(['before', 'inner', 'after']);
    await expect(run(changed)).resolves.toEqual(['before in', 'other in', 'after in', 'after out', 'other out', 'before out']);
  });

  it('is immutable: the first stack stays as it was', () => {
    stack.insertBefore('outer', tracing('first'));

    expect(stack.names).toEqual(['outer', 'inner']);
  });

  it.each<readonly [string, () => unknown, RegExp]>([
    ['an unknown place', () => stack.insertBefore('middle', tracing('x')), /no middleware is named "middle"; there are: outer, inner/],
    ['an unknown name to replace', () => stack.replace('middle', tracing('x')), /no middleware is named "middle"/],
    ['an unknown name to remove', () => stack.remove('middle'), /no middleware is named "middle"/],
    ['a name twice', () => stack.insertAfter('outer', tracing('inner')), /a middleware named "inner" is already in the stack/],
    [
      'a middleware without a name',
      () =>
        stack.insertAfter(
          'outer',
          (
            () => async () =>
              undefined
          )(),
        ),
      /a middleware needs a name/,
    ],
  ])('refuses %s', (_what, change, message) => {
    expect(change).toThrow(message);
    expect(change).toThrow(expect.objectContaining({ code: 'ConfigError' }) as Error);
  });

  it('R31: checks the attempt before every middleware, the first included', async () => {
    let checks = 0;
    await run(stack, { ...heldGuard, assertHeld: () => void (checks += 1) });

    expect(checks).toBe(2);
  });

  it('R17, R31: a lost attempt enters no further middleware', async () => {
    const context: Trace = { steps: [] };
    let checks = 0;
    const losing: AttemptGuard = {
      ...heldGuard,
      assertHeld: () => {
        checks += 1;
        if (checks === 2) throw new LostLease('the turn');
      },
    };

    await expect(stack.run(context, losing)).rejects.toBeInstanceOf(LostLease);
    expect(context.steps).toEqual(['outer in']);
  });

  it('a middleware that does not call next ends the chain', async () => {
    const ending = stack.insertBefore('inner', async () => undefined, 'end');

    await expect(run(ending)).resolves.toEqual(['outer in', 'outer out']);
  });

  it('refuses a second call of next', async () => {
    const twice = stack.insertBefore('inner', async (_context, next) => (await next(), next()), 'twice');

    await expect(run(twice)).rejects.toThrow(/the middleware "twice" called next twice/);
  });

  it('tells whether two middlewares stand side by side', () => {
    const [first, second] = [tracing('first'), tracing('second')];
    const pair = new MiddlewareStack([
      { name: 'first', middleware: first },
      { name: 'second', middleware: second },
    ]);

    expect(pair.hasAdjacent(first, second)).toBe(true);
    expect(pair.hasAdjacent(second, first)).toBe(false);
    expect(pair.insertAfter('first', tracing('between')).hasAdjacent(first, second)).toBe(false);
    expect(pair.replace('second', tracing('other')).hasAdjacent(first, second)).toBe(false);
  });
});

describe('adjustStack', () => {
  const stack = new MiddlewareStack([entry('only')]);

  it('applies the changes in order: the config’s, then the agent’s', () => {
    const adjusted = adjustStack(stack, [
      { owner: 'the config', adjust: (given) => given.insertBefore('only', tracing('config')) },
      { owner: 'agent "a"', adjust: undefined },
      { owner: 'agent "b"', adjust: (given) => given.insertAfter('config', tracing('agent')) },
    ]);

    expect(adjusted.names).toEqual(['config', 'agent', 'only']);
  });

  it('refuses a change that returns no stack, with its owner', () => {
    const forgetful = (() => undefined) as unknown as (given: MiddlewareStack<Trace>) => MiddlewareStack<Trace>;

    expect(() => adjustStack(stack, [{ owner: 'agent "b": middleware.llm', adjust: forgetful }])).toThrow(
      /^agent "b": middleware\.llm must return the changed stack/,
    );
  });
});
