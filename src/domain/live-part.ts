/** What a stream shows while a step runs (design, live streams). The transcript alone is canonical. */

/**
 * Offset, generation and loop are added by whoever keeps the parts. `callId` is the provider's id while the model writes the call,
 * and the call's row while it runs.
 */
export type LivePart =
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly text: string }
  | { readonly type: 'tool-start'; readonly callId: string; readonly name: string; readonly arguments?: string }
  | { readonly type: 'tool-end'; readonly callId: string; readonly name: string; readonly isSuccess: boolean; readonly result?: string }
  | { readonly type: 'status'; readonly status: string }
  | { readonly type: 'cost'; readonly amountUsd: string; readonly isKnown: boolean };

/** Where live parts go. Never throws, never waits. */
export interface LiveSink {
  readonly push: (part: LivePart) => void;
}
