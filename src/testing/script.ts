/** What a scripted model can be told to do, and what it remembers of its requests. All of it is plain JSON: it crosses to another process. */

/** One thing that the server does with a connection, in order. */
export type ScriptStep =
  /** Status line and headers. Left out, the first `write` sends 200 with `text/event-stream`. */
  | { readonly kind: 'head'; readonly status?: number; readonly headers?: Readonly<Record<string, string>> }
  /** Raw bytes of the body, in one piece. */
  | { readonly kind: 'write'; readonly data: string; readonly encoding?: 'utf8' | 'base64' }
  | { readonly kind: 'delay'; readonly milliseconds: number }
  /** Waits until `release(gate)` was called, before or after. */
  | { readonly kind: 'wait'; readonly gate: string }
  /** Sends `data` again and again, until the client goes. */
  | { readonly kind: 'repeat'; readonly data: string; readonly everyMilliseconds: number }
  /** Keeps the connection open and says nothing more, until the client goes. */
  | { readonly kind: 'hold' }
  /** Breaks the connection off without an end. */
  | { readonly kind: 'destroy' }
  | { readonly kind: 'end' };

/** Which request a response is for. Every field that is given must fit. */
export interface RequestMatch {
  readonly model?: string;
  readonly lastUserMessageContains?: string;
  /** The last message of the request, whatever its role. */
  readonly lastMessageContains?: string;
  /** Text of the whole request body. */
  readonly bodyContains?: string;
  readonly pathEndsWith?: string;
}

export interface ScriptedResponse {
  /** Shown in the journal. */
  readonly name?: string;
  /** @default any request */
  readonly match?: RequestMatch;
  /** How many requests it answers. @default 1 */
  readonly times?: number | 'always';
  /** Ends by itself after the last step. */
  readonly steps: readonly ScriptStep[];
}

export interface JournalEntry {
  /** From 1, in order of arrival. */
  readonly number: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The client's end of the connection: two requests over one connection have the same. */
  readonly clientPort: number;
  /** The request's body: JSON where it is JSON, else the text. */
  readonly body: unknown;
  readonly response: string | undefined;
  /** `unscripted`: no response was left for it, and it got a 500. */
  readonly outcome: 'running' | 'ended' | 'client-aborted' | 'destroyed' | 'unscripted';
}
