/** Pairs each call of the transcript with its one result (R32, P73, P74): within its own assistant message, never over the whole. */

import type { TranscriptMessage, TranscriptToolCall } from '../../domain/message';

export interface CallPair {
  readonly call: TranscriptToolCall;
  /** Undefined: no result was recorded. */
  readonly result: TranscriptMessage | undefined;
}

export type TranscriptEntry =
  | { readonly kind: 'message'; readonly message: TranscriptMessage }
  | { readonly kind: 'calls'; readonly message: TranscriptMessage; readonly pairs: readonly CallPair[] };

/** What the model may see, in order; results stand with their calls, and those that answer no visible call are left out. */
export function pairTranscript(transcript: readonly TranscriptMessage[]): readonly TranscriptEntry[] {
  const visible = transcript.filter(isVisible);
  const resultsByCall = new Map<string, TranscriptMessage>();
  for (const message of visible) {
    if (message.role === 'tool' && message.toolCallRef !== null && !resultsByCall.has(message.toolCallRef))
      resultsByCall.set(message.toolCallRef, message);
  }
  return visible.flatMap((message, index): readonly TranscriptEntry[] => {
    if (message.role === 'tool') return [];
    if (message.role !== 'assistant' || message.toolCalls.length === 0) return [{ kind: 'message', message }];
    const loose = looseResults(visible, index);
    return [
      {
        kind: 'calls',
        message,
        pairs: message.toolCalls.map((call) => ({ call, result: resultsByCall.get(call.id) ?? takeLoose(loose, call) })),
      },
    ];
  });
}

/** A message that waits, or a shell, is not part of the transcript yet. */
function isVisible(message: TranscriptMessage): boolean {
  if (message.isHidden || message.status === 'pending') return false;
  return message.role !== 'assistant' || message.status === 'success';
}

/** Results without a reference (imported transcripts) between this assistant message and the next. */
function looseResults(visible: readonly TranscriptMessage[], index: number): TranscriptMessage[] {
  const following = visible.slice(index + 1);
  const end = following.findIndex((message) => message.role === 'assistant');
  return following.slice(0, end < 0 ? following.length : end).filter((message) => message.role === 'tool' && message.toolCallRef === null);
}

function takeLoose(loose: TranscriptMessage[], call: TranscriptToolCall): TranscriptMessage | undefined {
  const index = loose.findIndex((message) => message.toolCallProviderId === call.providerId);
  return index < 0 ? undefined : loose.splice(index, 1)[0];
}
