/** What was opened, to be closed in reverse order. */

export interface ClosingList {
  readonly add: (close: () => Promise<void>) => void;
  /** Closes everything even if some of it fails; a second call waits for the first. @throws AggregateError of what failed */
  readonly close: () => Promise<void>;
}

export function createClosingList(): ClosingList {
  const entries: (() => Promise<void>)[] = [];
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    const failures: unknown[] = [];
    for (let entry = entries.pop(); entry !== undefined; entry = entries.pop()) {
      await entry().catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw new AggregateError(failures, `${failures.length} of the things that were open could not be closed`);
  };
  return { add: (entry) => void entries.push(entry), close: () => (closing ??= close()) };
}
