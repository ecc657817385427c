/** Runs tasks side by side as one: the first failure aborts the others, and nothing runs on when it is told. */

export type Task<Value> = (signal: AbortSignal) => Promise<Value>;

/** @throws the first failure, after every task has ended */
export async function runTogether<Values extends readonly unknown[]>(
  tasks: { readonly [Index in keyof Values]: Task<Values[Index]> },
  signal: AbortSignal,
): Promise<Values> {
  const failure = new AbortController();
  const either = AbortSignal.any([signal, failure.signal]);
  const running = tasks.map(async (task: Task<unknown>) => {
    try {
      return await task(either);
    } catch (error) {
      failure.abort(error);
      throw error;
    }
  });
  await Promise.allSettled(running);
  if (failure.signal.aborted) throw failure.signal.reason;
  return (await Promise.all(running)) as unknown as Values;
}
