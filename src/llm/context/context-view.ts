/** What the model sees of a long transcript: all of it, or its end with the first message and perhaps a summary. Kept whole for people. */

import type { JsonObject } from '../../domain/loop';
import type { TranscriptMessage } from '../../domain/message';
import { isObject } from '../foreign-json';
import { transcriptNote } from './transcript-note';

/** Messages before `fromSeq` are not sent, save system rows and the loop's first user message, which is its task. */
export interface ContextView {
  readonly fromSeq: number;
  readonly summary?: string;
}

const STAMP = 'context_view';
const TOKENS = 'context_tokens';

/** Estimates only: what a provider reports wins. */
const CHARS_OF_A_TOKEN = 4;

/** Stamped on the answer that was made with the view: later turns go on with it. */
export const viewStamp = (view: ContextView | undefined): JsonObject => (view === undefined ? {} : { [STAMP]: { ...view } });

/** Stamped on an answer: the tokens of its own request, whatever others its turn took. */
export const tokensStamp = (tokens: number | null): JsonObject => (tokens === null ? {} : { [TOKENS]: tokens });

/** The view of the last answer that had one. */
export function findView(transcript: readonly TranscriptMessage[]): ContextView | undefined {
  const stamp = transcript.findLast((message) => message.role === 'assistant' && isObject(message.metadata[STAMP]))?.metadata[STAMP];
  if (!isObject(stamp) || typeof stamp.fromSeq !== 'number') return undefined;
  return { fromSeq: stamp.fromSeq, ...(typeof stamp.summary === 'string' ? { summary: stamp.summary } : {}) };
}

export function applyView(transcript: readonly TranscriptMessage[], view: ContextView | undefined): readonly TranscriptMessage[] {
  if (view === undefined) return transcript;
  const task = transcript.find((message) => message.role === 'user' && message.seq !== null);
  const isKept = (message: TranscriptMessage): boolean =>
    message.role === 'system' || message === task || message.seq === null || message.seq >= view.fromSeq;
  const kept = transcript.filter(isKept);
  if (view.summary === undefined || task === undefined) return kept;
  const summary = transcriptNote({
    loopId: task.loopId,
    role: 'user',
    content: `[Summary of the conversation up to here]\n${view.summary}`,
  });
  return kept.toSpliced(kept.indexOf(task) + 1, 0, summary);
}

/** Tokens that the next request will have: those of the last one, as reported, and an estimate of what came after. 0: nothing was reported yet. */
export function contextTokens(transcript: readonly TranscriptMessage[]): number {
  const index = transcript.findLastIndex((message) => message.role === 'assistant' && typeof message.metadata[TOKENS] === 'number');
  const reported = transcript[index]?.metadata[TOKENS];
  if (typeof reported !== 'number') return 0;
  return reported + Math.ceil(transcript.slice(index + 1).reduce((sum, message) => sum + charsOf(message), 0) / CHARS_OF_A_TOKEN);
}

export const charsOf = (message: TranscriptMessage): number =>
  (message.content?.length ?? 0) + message.toolCalls.reduce((sum, call) => sum + call.name.length + call.arguments.length, 0);
