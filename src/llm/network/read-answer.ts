/** Reads a response to its end and decides whether it was one: a whole answer, or an error; never a part of one (R48, P119). */

import { ProviderError } from '../errors/provider-error';
import type { AnswerAggregator } from '../stream/answer-aggregator';
import { BodyReader } from '../stream/body-reader';
import { isEmptyAnswer, type RawAnswer } from '../stream/raw-answer';
import { toNetworkError, type SentRequest } from './send-request';
import type { StreamWatch } from './stream-watch';

/** How long usage is waited for after a finish reason, where no `[DONE]` comes (P16). */
const USAGE_GRACE_MS = 5_000;
/** The same where the counts are there already, and only `[DONE]` or a correction of them may follow. */
const END_GRACE_MS = 500;
/** How long the end of a body is waited for behind the answer's back, so that its connection can be used again. */
const DRAIN_LIMIT_MS = 1_000;

export interface ReadOptions {
  readonly sent: SentRequest;
  readonly aggregator: AnswerAggregator;
  readonly watch: StreamWatch;
  /** Called after each piece that brought something. */
  readonly onProgress: () => void;
  /** Turns a value of another API into chunks of chat completions. */
  readonly translate?: ((value: unknown) => unknown) | undefined;
}

/** @throws ProviderError for everything that is no whole answer; the step's abort reason where that ended it */
export async function readAnswer({ sent, aggregator, watch, onProgress, translate }: ReadOptions): Promise<RawAnswer> {
  const reader = new BodyReader({ response: sent.info, aggregator, translate });
  const ending = await readToEnd({ body: sent.body, reader, aggregator, watch, onProgress });
  if (ending.kind === 'end' || ending.kind === 'done') reader.end();
  if (!reader.isComplete) throw incompleteError({ ending, sent, watch });
  const answer = aggregator.finish();
  const saysNothing = isEmptyAnswer(answer) && answer.finishReason === undefined && answer.usage === undefined;
  if (saysNothing) throw new ProviderError('the response was empty', { kind: 'empty', ...sent.info });
  return answer;
}

/** How the reading ended. A grace that is over or an abort after the finish reason leaves the answer whole. */
type Ending = { readonly kind: 'done' | 'end' | 'aborted' } | { readonly kind: 'lost'; readonly error: unknown };

interface ReadLoop extends Omit<ReadOptions, 'sent'> {
  readonly body: SentRequest['body'];
  readonly reader: BodyReader;
}

async function readToEnd({ body, reader, aggregator, watch, onProgress }: ReadLoop): Promise<Ending> {
  if (body === null) return { kind: 'end' };
  const source = body.getReader();
  // A cancelled body answers every pending read, so that nothing waits for a socket that says no more.
  const cancel = (): void => cancelBody(source);
  if (watch.signal.aborted) cancel();
  watch.signal.addEventListener('abort', cancel, { once: true });
  let isDone = false;
  try {
    for (;;) {
      const piece = await nextPiece(source);
      if (watch.signal.aborted) return { kind: 'aborted' };
      if (piece.kind !== 'bytes') return piece;
      watch.touchBytes();
      takePiece({ piece: piece.bytes, reader, aggregator, watch, onProgress });
      isDone = reader.isDone;
      if (isDone) return { kind: 'done' };
    }
  } finally {
    watch.signal.removeEventListener('abort', cancel);
    if (isDone) drain(source);
    else cancel();
  }
}

type BodySource = ReadableStreamDefaultReader<Uint8Array>;

/** What a body says after it was given up is of no interest. */
function cancelBody(source: BodySource): void {
  source.cancel().catch(() => undefined);
}

/** Nobody waits for this: a body that does not end soon is cancelled. */
function drain(source: BodySource): void {
  const timer = setTimeout(() => cancelBody(source), DRAIN_LIMIT_MS).unref();
  const readOn = async (): Promise<void> => {
    for (let piece = await nextPiece(source); piece.kind === 'bytes';) piece = await nextPiece(source);
    clearTimeout(timer);
  };
  void readOn();
}

type Piece =
  { readonly kind: 'bytes'; readonly bytes: Uint8Array } | { readonly kind: 'end' } | { readonly kind: 'lost'; readonly error: unknown };

async function nextPiece(source: BodySource): Promise<Piece> {
  try {
    const { done, value } = await source.read();
    return done ? { kind: 'end' } : { kind: 'bytes', bytes: value };
  } catch (error) {
    return { kind: 'lost', error };
  }
}

function takePiece({ piece, reader, aggregator, watch, onProgress }: Omit<ReadLoop, 'body'> & { readonly piece: Uint8Array }): void {
  const { progress, textPieces, isFinished } = aggregator;
  reader.push(piece);
  if (aggregator.progress === progress) return;
  watch.touchProgress();
  onProgress();
  if (!aggregator.isFinished) return;
  // Some servers give a finish reason and counts with every piece: where text comes after it, or with it, more text may come.
  const hasText = aggregator.textPieces > textPieces;
  if (hasText && isFinished) watch.goOn();
  else watch.finishWithin(aggregator.usage !== undefined && !hasText ? END_GRACE_MS : USAGE_GRACE_MS);
}

function incompleteError({
  ending,
  sent,
  watch,
}: {
  readonly ending: Ending;
  readonly sent: SentRequest;
  readonly watch: StreamWatch;
}): unknown {
  if (ending.kind === 'aborted') return watch.signal.reason;
  if (ending.kind === 'lost') return toNetworkError(ending.error, sent.info.url);
  return new ProviderError('the stream ended before its finish reason', { kind: 'stream', ...sent.info });
}
