/** What a process holds: its heap after a full collection apart from what the operating system counts, read while a bench runs. */

import { getHeapCodeStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Megabytes. */
export interface MemorySample {
  readonly turns: number;
  readonly seconds: number;
  /** Data of the main thread, after a full collection. */
  readonly heap: number;
  /** Code in that heap: it grows for as long as functions are compiled anew. */
  readonly code: number;
  /** Outside the heap but held by it: buffers and what native modules report. */
  readonly external: number;
  /** All of the process before that collection: its threads, native code, what waits for collection and what the allocator keeps. */
  readonly rss: number;
}

const MEGABYTE = 2 ** 20;

/** @param turns how many were made before it */
export function sampleMemory(turns: number, seconds: number): MemorySample {
  const rss = process.memoryUsage.rss();
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  const { code_and_metadata_size, bytecode_and_metadata_size } = getHeapCodeStatistics();
  const code = code_and_metadata_size + bytecode_and_metadata_size;
  return { turns, seconds, heap: (heapUsed - code) / MEGABYTE, code: code / MEGABYTE, external: external / MEGABYTE, rss: rss / MEGABYTE };
}

/** Megabytes per 1,000 turns: the slope of the line that fits best. */
export function growthOf(samples: readonly MemorySample[], of: (sample: MemorySample) => number): number {
  const mean = (read: (sample: MemorySample) => number): number => samples.reduce((sum, each) => sum + read(each), 0) / samples.length;
  const meanTurns = mean(({ turns }) => turns);
  const meanValue = mean(of);
  const covariance = mean((each) => (each.turns - meanTurns) * (of(each) - meanValue));
  const variance = mean(({ turns }) => (turns - meanTurns) ** 2);
  return (covariance / variance) * 1000;
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
