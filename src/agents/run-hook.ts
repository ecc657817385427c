/** Runs a hook of the user's with a deadline and tells how it went: a hook never fails a turn (R47). */

import { messageOf } from '../domain/errors';

export type HookOutcome = { readonly kind: 'done' } | { readonly kind: 'failed'; readonly message: string };

/**
 * Never throws. A hook that is late has failed; what it does after its deadline is not waited for.
 * `timeoutSeconds` is `settings.hookTimeout`.
 */
export async function runHook(hook: () => unknown, timeoutSeconds: number): Promise<HookOutcome> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<HookOutcome>((resolve) => {
    timer = setTimeout(() => resolve({ kind: 'failed', message: `did not end within ${timeoutSeconds} s` }), timeoutSeconds * 1_000);
  });
  try {
    return await Promise.race([deadline, outcomeOf(hook)]);
  } finally {
    clearTimeout(timer);
  }
}

async function outcomeOf(hook: () => unknown): Promise<HookOutcome> {
  try {
    await hook();
    return { kind: 'done' };
  } catch (error) {
    return { kind: 'failed', message: messageOf(error) };
  }
}
