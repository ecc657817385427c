/** A stack of named middlewares, outermost first: immutable, with insertion, replacement and removal by name (R30, R50). */

import { SolidLoopError } from '../domain/errors';
import type { AttemptGuard, Middleware } from './middleware';

interface Entry<Context> {
  readonly name: string;
  readonly middleware: Middleware<Context>;
}

export class MiddlewareStack<Context> {
  readonly #entries: readonly Entry<Context>[];

  constructor(entries: readonly Entry<Context>[]) {
    this.#entries = entries;
  }

  get names(): readonly string[] {
    return this.#entries.map((entry) => entry.name);
  }

  /** @throws ConfigError where `beside` is not in the stack, or `name` is already */
  insertBefore(beside: string, middleware: Middleware<Context>, name = middleware.name): MiddlewareStack<Context> {
    return this.#insertAt(this.#indexOf(beside), name, middleware);
  }

  /** @throws ConfigError where `beside` is not in the stack, or `name` is already */
  insertAfter(beside: string, middleware: Middleware<Context>, name = middleware.name): MiddlewareStack<Context> {
    return this.#insertAt(this.#indexOf(beside) + 1, name, middleware);
  }

  /** @throws ConfigError where `name` is not in the stack */
  replace(name: string, middleware: Middleware<Context>): MiddlewareStack<Context> {
    return new MiddlewareStack(this.#entries.with(this.#indexOf(name), { name, middleware }));
  }

  /** @throws ConfigError where `name` is not in the stack */
  remove(name: string): MiddlewareStack<Context> {
    return new MiddlewareStack(this.#entries.toSpliced(this.#indexOf(name), 1));
  }

  /** True where `second` runs directly after `first`. */
  hasAdjacent(first: Middleware<Context>, second: Middleware<Context>): boolean {
    const index = this.#entries.findIndex((entry) => entry.middleware === first);
    return index >= 0 && this.#entries[index + 1]?.middleware === second;
  }

  /** Runs the stack; the attempt is checked before every middleware, the first included (R31). */
  async run(context: Context, guard: AttemptGuard): Promise<void> {
    const runFrom = async (index: number): Promise<void> => {
      const entry = this.#entries[index];
      if (entry === undefined) return;
      guard.assertHeld();
      await entry.middleware(
        context,
        onceOnly(entry.name, () => runFrom(index + 1)),
      );
    };
    await runFrom(0);
  }

  #indexOf(name: string): number {
    const index = this.#entries.findIndex((entry) => entry.name === name);
    if (index < 0)
      throw new SolidLoopError('ConfigError', `no middleware is named "${name}"; there are: ${this.names.join(', ')}`, { field: name });
    return index;
  }

  #insertAt(index: number, name: string, middleware: Middleware<Context>): MiddlewareStack<Context> {
    if (name === '')
      throw new SolidLoopError('ConfigError', 'a middleware needs a name: give a named function, or the name as the third argument');
    if (this.names.includes(name))
      throw new SolidLoopError('ConfigError', `a middleware named "${name}" is already in the stack`, { field: name });
    return new MiddlewareStack(this.#entries.toSpliced(index, 0, { name, middleware }));
  }
}

function onceOnly(name: string, next: () => Promise<void>): () => Promise<void> {
  let isCalled = false;
  return () => {
    if (isCalled) throw new SolidLoopError('ConfigError', `the middleware "${name}" called next twice`, { field: name });
    isCalled = true;
    return next();
  };
}
