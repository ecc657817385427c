/** Writes what streams show while they run: all streams of a process in one statement every 100 ms, for loops that somebody watches. */

import { messageOf } from '../../domain/errors';
import type { Generation, LoopId } from '../../domain/ids';
import type { LiveSink } from '../../domain/live-part';
import type { Loop } from '../../domain/loop';
import type { CancelTimer, Clock } from '../../util/clock';
import type { Logger } from '../../util/logger';
import type { Database } from '../database';
import { findWatchedLoops, insertLiveParts, sweepLiveParts } from './live-part-statements';
import { LiveStream } from './live-stream';

const FLUSH_INTERVAL_MS = 100;
const LONGEST_BACKOFF_MS = 30_000;
/** How often old parts are swept, forgotten streams dropped and the watched loops read again. */
const UPKEEP_INTERVAL_MS = 30_000;
const KEPT_SECONDS = 900;
const IDLE_STREAM_MS = 60_000;

export interface LivePartWriterOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** One a process. What fails here is logged; the answer is in the transcript all the same. */
export class LivePartWriter {
  readonly #options: LivePartWriterOptions;
  readonly #streams = new Map<LoopId, LiveStream>();
  readonly #watched = new Set<LoopId>();
  #cancelFlush: CancelTimer | undefined;
  #cancelUpkeep: CancelTimer | undefined;
  #flushing: Promise<void> | undefined;
  #backoffMs = FLUSH_INTERVAL_MS;
  #isClosed = false;

  constructor(options: LivePartWriterOptions) {
    this.#options = options;
  }

  /** How many loops it keeps something of. */
  get size(): number {
    return new Set([...this.#watched, ...this.#streams.keys()]).size;
  }

  /** Reads which loops are watched, and keeps doing so. */
  async start(): Promise<void> {
    await this.refresh();
    this.#scheduleUpkeep();
  }

  /** The sink of one attempt. A sink of another generation of the same loop is closed by it: what it still pushes is dropped. */
  sinkFor({ loop, generation }: { readonly loop: Pick<Loop, 'id' | 'observeEnabled'>; readonly generation: Generation }): LiveSink {
    const current = this.#streams.get(loop.id);
    const stream = current?.generation === generation ? current : new LiveStream(loop.id, generation);
    this.#streams.set(loop.id, stream);
    return {
      push: (part) => {
        if (this.#isClosed || (this.#streams.get(loop.id) ?? stream) !== stream) return;
        this.#streams.set(loop.id, stream);
        if (loop.observeEnabled) this.#watched.add(loop.id);
        stream.push(part, this.#options.clock.monotonicMs());
        this.#scheduleFlush();
      },
    };
  }

  /** Somebody watches this loop: told by the notice on the channel `watch`. */
  watch(loopId: LoopId): void {
    this.#watched.add(loopId);
    this.#scheduleFlush();
  }

  /** Reads again which loops are watched: at start, after each new LISTEN, and from time to time. */
  async refresh(): Promise<void> {
    await this.#guard('the watched loops could not be read', async () => {
      for (const loopId of await findWatchedLoops(this.#options.db)) this.watch(loopId);
    });
  }

  /** Writes what waits, once, and stops. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancelFlush?.();
    this.#cancelUpkeep?.();
    await this.#flushing;
    await this.#flush();
  }

  #scheduleFlush(): void {
    if (this.#isClosed || this.#cancelFlush !== undefined || this.#due().length === 0) return;
    this.#cancelFlush = this.#options.clock.schedule(this.#backoffMs, () => {
      this.#flushing = this.#flush().finally(() => {
        this.#cancelFlush = undefined;
        this.#scheduleFlush();
      });
    });
  }

  #due(): readonly LiveStream[] {
    return [...this.#watched].flatMap((loopId) => this.#streams.get(loopId) ?? []).filter((stream) => !stream.isEmpty);
  }

  async #flush(): Promise<void> {
    const taken = this.#due().map((stream) => ({ stream, parts: stream.take() }));
    if (taken.length === 0) return;
    const written = await this.#guard('live parts could not be written; the transcript has the answer', () =>
      insertLiveParts(
        this.#options.db,
        taken.map(({ stream: { loopId, generation }, parts }) => ({ loopId, generation, parts })),
      ),
    );
    this.#backoffMs = written === undefined ? Math.min(LONGEST_BACKOFF_MS, this.#backoffMs * 2) : FLUSH_INTERVAL_MS;
    for (const { stream, parts } of taken) {
      const outcome = written === undefined ? 'taken' : written.get(stream.loopId);
      if (outcome === undefined) this.#watched.delete(stream.loopId);
      if (outcome !== 'written') stream.putBack(parts);
    }
  }

  #scheduleUpkeep(): void {
    if (this.#isClosed) return;
    this.#cancelUpkeep = this.#options.clock.schedule(UPKEEP_INTERVAL_MS, () => void this.#upkeep().finally(() => this.#scheduleUpkeep()));
  }

  async #upkeep(): Promise<void> {
    this.#forgetIdle();
    await this.refresh();
    await this.#guard('old live parts could not be swept', () => sweepLiveParts(this.#options.db, KEPT_SECONDS));
  }

  /** A loop that is watched still is told of by `refresh`, and one that is always observed by its next part. */
  #forgetIdle(): void {
    const oldestMs = this.#options.clock.monotonicMs() - IDLE_STREAM_MS;
    for (const stream of this.#streams.values()) if (stream.lastPushMs < oldestMs) this.#streams.delete(stream.loopId);
    for (const loopId of this.#watched) if (!this.#streams.has(loopId)) this.#watched.delete(loopId);
  }

  async #guard<Result>(sentence: string, action: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await action();
    } catch (error) {
      this.#options.logger.warn({ reason: messageOf(error) }, sentence);
      return undefined;
    }
  }
}
