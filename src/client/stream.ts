/** A loop as it happens: live parts while a step runs, canonical messages when they are committed, and where the loop stands. */

import { SolidLoopError } from '../domain/errors';
import type { Generation, LoopId } from '../domain/ids';
import type { LivePart } from '../domain/live-part';
import type { Loop } from '../domain/loop';
import type { TranscriptMessage } from '../domain/message';
import type { Database } from '../db/database';
import { findLoop } from '../db/repositories/loops.repository';
import { pollerOf } from './stream-poller';

/**
 * `part`: shown now, canonical never. `message`: the transcript's own; an assistant's takes the place of all text shown before it.
 * `superseded`: what was shown since the last message is void, another attempt begins. `loop`: its status changed; the last item is a terminal one.
 */
export type StreamItem =
  | { readonly type: 'part'; readonly loopId: LoopId; readonly generation: Generation; readonly offset: number; readonly part: LivePart }
  | { readonly type: 'message'; readonly loopId: LoopId; readonly message: TranscriptMessage }
  | { readonly type: 'superseded'; readonly loopId: LoopId; readonly generation: Generation }
  | { readonly type: 'loop'; readonly loopId: LoopId; readonly loop: Loop };

/** Where to go on, from the items that were seen. */
export interface StreamPosition {
  /** Only messages after this place in the transcript. @default 0: from the start */
  readonly seq?: number;
  /** With `offset`: the last part that was seen. */
  readonly generation?: Generation;
  readonly offset?: number;
}

export interface StreamOptions {
  readonly from?: StreamPosition;
  /** Ends the iteration quietly. */
  readonly signal?: AbortSignal;
}

/**
 * Runs until the loop has ended, the signal is aborted or the caller breaks off. All streams of a process share one statement a poll.
 * @throws LoopNotFound, and DatabaseUnavailable where the database stays away
 */
export async function* streamLoop(db: Database, loopId: LoopId, options: StreamOptions = {}): AsyncGenerator<StreamItem, void, undefined> {
  if ((await findLoop(db, loopId)) === undefined)
    throw new SolidLoopError('LoopNotFound', `no loop has the id ${loopId}`, { field: 'loop' });
  const subscription = pollerOf(db).subscribe(loopId, options.from ?? {});
  const abort = () => subscription.end();
  options.signal?.addEventListener('abort', abort);
  if (options.signal?.aborted === true) abort();
  try {
    yield* subscription.items();
  } finally {
    options.signal?.removeEventListener('abort', abort);
    subscription.end();
  }
}
