/** Polls for all streams of a process in one statement, and says to the workers which loops are watched. */

import { messageOf, SolidLoopError } from '../domain/errors';
import type { LoopId } from '../domain/ids';
import type { Database } from '../db/database';
import { readStreams, renewWatch, type StreamNews } from '../db/live/read-streams';
import { getLoop } from '../db/repositories/loops.repository';
import { findMessages } from '../db/repositories/messages.repository';
import { type Clock, systemClock } from '../util/clock';
import type { StreamPosition } from './stream';
import { type StreamReader, StreamSubscription } from './stream-subscription';

const POLL_INTERVAL_MS = 150;
const WATCH_SECONDS = 30;
const WATCH_RENEWAL_MS = 10_000;
/** After live parts failed, the transcript alone is read for so long. */
const PARTS_RETRY_MS = 5_000;
/** A database that is away for longer ends the streams. */
const PATIENCE_MS = 30_000;

/** Lives while somebody watches; `subscribe` wakes it. */
export class StreamPoller {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #reader: StreamReader;
  readonly #subscriptions = new Set<StreamSubscription>();
  readonly #watchedUntilMs = new Map<LoopId, number>();
  #isRunning = false;
  #partsFrom = 0;
  #failingSinceMs: number | undefined;

  constructor(db: Database, clock: Clock = systemClock) {
    this.#db = db;
    this.#clock = clock;
    this.#reader = { loop: (loopId) => getLoop(db, loopId), messages: (loopId, ids) => findMessages(db, { loopId, ids }) };
  }

  subscribe(loopId: LoopId, from: StreamPosition): StreamSubscription {
    const subscription = new StreamSubscription(loopId, from, () => this.#subscriptions.delete(subscription));
    this.#subscriptions.add(subscription);
    if (!this.#isRunning) void this.#run();
    return subscription;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#subscriptions.size > 0) {
      await this.#tick();
      await new Promise<void>((resolve) => this.#clock.schedule(POLL_INTERVAL_MS, resolve));
    }
    this.#watchedUntilMs.clear();
    this.#isRunning = false;
  }

  async #tick(): Promise<void> {
    const subscriptions = [...this.#subscriptions];
    try {
      const news = await this.#read(subscriptions);
      for (const [index, subscription] of subscriptions.entries()) await this.#give(subscription, news.get(index));
      this.#failingSinceMs = undefined;
    } catch (error) {
      this.#fail(subscriptions, error);
      return;
    }
    await this.#renewWatches();
  }

  async #read(subscriptions: readonly StreamSubscription[]): Promise<ReadonlyMap<number, StreamNews>> {
    const cursors = subscriptions.map((subscription) => subscription.cursor);
    const withParts = this.#clock.monotonicMs() >= this.#partsFrom;
    return readStreams(this.#db, cursors, withParts).catch((error: unknown) => {
      if (!withParts) throw error;
      this.#partsFrom = this.#clock.monotonicMs() + PARTS_RETRY_MS;
      return readStreams(this.#db, cursors, false);
    });
  }

  async #give(subscription: StreamSubscription, news: StreamNews | undefined): Promise<void> {
    if (news === undefined)
      subscription.end(new SolidLoopError('LoopNotFound', `loop ${subscription.loopId} was deleted`, { field: 'loop' }));
    else await subscription.accept(news, this.#reader);
  }

  #fail(subscriptions: readonly StreamSubscription[], error: unknown): void {
    const now = this.#clock.monotonicMs();
    this.#failingSinceMs ??= now;
    if (now - this.#failingSinceMs < PATIENCE_MS) return;
    const failure = new SolidLoopError(
      'DatabaseUnavailable',
      `the database has not answered for ${PATIENCE_MS / 1000} s: ${messageOf(error)}`,
      { cause: error },
    );
    for (const subscription of subscriptions) subscription.end(failure);
  }

  /** Without it there are no live parts, and the transcript is shown all the same; so what fails here is tried again, not told. */
  async #renewWatches(): Promise<void> {
    const now = this.#clock.monotonicMs();
    const watched = new Set([...this.#subscriptions].map((subscription) => subscription.loopId));
    for (const loopId of this.#watchedUntilMs.keys()) if (!watched.has(loopId)) this.#watchedUntilMs.delete(loopId);
    const due = [...watched].filter((loopId) => (this.#watchedUntilMs.get(loopId) ?? 0) <= now);
    for (const loopId of due) {
      const isRenewed = await renewWatch(this.#db, loopId, WATCH_SECONDS).then(
        () => true,
        () => false,
      );
      if (isRenewed) this.#watchedUntilMs.set(loopId, now + WATCH_RENEWAL_MS);
    }
  }
}

const pollers = new WeakMap<Database, StreamPoller>();

/** The one poller of a process for this database. */
export function pollerOf(db: Database): StreamPoller {
  const existing = pollers.get(db);
  if (existing !== undefined) return existing;
  const poller = new StreamPoller(db);
  pollers.set(db, poller);
  return poller;
}
