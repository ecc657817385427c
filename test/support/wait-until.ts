/** Waits for a condition instead of sleeping. */

const POLL_MS = 15;

/** Answers the first value that is neither undefined nor false. @throws Error that names what was waited for */
export async function waitUntil<Value>(
  what: string,
  condition: () => Promise<Value | undefined | false> | Value | undefined | false,
  timeoutMs = 30_000,
): Promise<Value> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const value = await condition();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > deadline) throw new Error(`waited ${timeoutMs} ms for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
