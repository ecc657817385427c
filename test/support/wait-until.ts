/** Waits for a condition by asking again, never by a fixed time. */

const ASK_INTERVAL_MS = 20;

/** Resolves with the first truthy answer. @throws where none came in time @default 10 s */
export async function waitUntil<Answer>(condition: () => Answer | Promise<Answer>, timeoutMs = 10_000): Promise<NonNullable<Answer>> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const answer = await condition();
    if (answer) return answer;
    if (performance.now() > deadline) throw new Error(`the condition was not met within ${timeoutMs} ms: ${condition.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, ASK_INTERVAL_MS));
  }
}
