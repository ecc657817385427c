/** Messages that stand in one request only: nobody stores them. */

import { toId, type LoopId, type MessageId } from '../../domain/ids';
import type { TranscriptMessage } from '../../domain/message';

/** No row has it. */
const NO_ID = toId<MessageId>('0');

export function transcriptNote(note: {
  readonly loopId: LoopId;
  readonly role: 'user' | 'assistant';
  readonly content: string;
}): TranscriptMessage {
  return {
    ...note,
    id: NO_ID,
    seq: null,
    turnNumber: null,
    kind: 'plain',
    status: 'success',
    isHidden: false,
    reasoningContent: null,
    toolCalls: [],
    toolCallRef: null,
    toolCallProviderId: null,
    providerExtras: null,
    metadata: {},
    errorMessage: null,
    createdAt: new Date(0),
  };
}
