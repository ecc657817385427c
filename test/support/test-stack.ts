/** The stack of this test run, from the global set-up to the global tear-down, which share nothing but their process. */

import type { DevStack } from '../../src/dev/stack';

export interface TestStack {
  readonly stack: DevStack;
  /** Removed with everything in it at the end. */
  readonly folder: string;
}

const holder = globalThis as typeof globalThis & { solidLoopTestStack?: TestStack };

export function keepTestStack(stack: TestStack): void {
  holder.solidLoopTestStack = stack;
}

export function takeTestStack(): TestStack | undefined {
  return holder.solidLoopTestStack;
}
