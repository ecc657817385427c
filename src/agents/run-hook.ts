/** Runs a hook of the user's with a deadline and tells how it went: a hook never fails a turn (R47). */

import { messageOf } from '../domain/errors';

export type HookOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly message: string; readonly error: unknown }
  | { readonly kind: 'timed-out'; readonly message: string };

export interface HookRun {
  /** The hook's own name, for the sentence in its event. */
  readonly name: string;
  /** `settings.hookTimeout`. */
  readonly timeoutSeconds: number;
  readonly run: () => unknown;
}

/** Never throws. What a hook does after its deadline is its own affair: its end is not waited for. */
export async function runHook({ name, timeoutSeconds, run }: HookRun): Promise<HookOutcome> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<HookOutcome>((resolve) => {
    const message = `the hook ${name} did not end within ${timeoutSeconds} s`;
    timer = setTimeout(() => resolve({ kind: 'timed-out', message }), timeoutSeconds * 1_000);
  });
  try {
    return await Promise.race([deadline, outcomeOf(name, run)]);
  } finally {
    clearTimeout(timer);
  }
}

async function outcomeOf(name: string, run: () => unknown): Promise<HookOutcome> {
  try {
    await run();
    return { kind: 'done' };
  } catch (error) {
    return { kind: 'failed', message: `the hook ${name} failed: ${messageOf(error)}`, error };
  }
}
