/** Builders of scripted responses: what an OpenAI-compatible server sends for a text, for tool calls, for an error. */

import type { ScriptedResponse, ScriptStep } from './script';

export interface ScriptedUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens?: number;
  readonly [field: string]: unknown;
}

export interface AnswerOptions extends Omit<ScriptedResponse, 'steps'> {
  /** @default the name asked for is not echoed: 'scripted-model' */
  readonly model?: string;
  /** Null: the server says nothing of tokens. @default 10 and 5 tokens */
  readonly usage?: ScriptedUsage | null;
  /** @default 'stop', or 'tool_calls' where there are calls */
  readonly finishReason?: string | null;
  /** Put between two pieces of the answer; with `{ kind: 'wait' }` a test holds the stream where it wants. */
  readonly between?: readonly ScriptStep[];
}

export interface ScriptedCall {
  readonly id?: string;
  readonly name: string;
  /** JSON text as it is, or a value that is written as JSON. */
  readonly arguments?: unknown;
}

const DEFAULT_USAGE: ScriptedUsage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const DEFAULT_PIECE_CHARS = 8;

/** A text, streamed in the pieces given, or cut in small ones. */
export function textAnswer(
  text: string | readonly string[],
  options: AnswerOptions & { readonly reasoning?: string } = {},
): ScriptedResponse {
  const pieces = typeof text === 'string' ? cut(text) : text;
  const thoughts = options.reasoning === undefined ? [] : cut(options.reasoning).map((piece) => ({ reasoning_content: piece }));
  const deltas = [...thoughts, ...pieces.map((piece) => ({ content: piece }))];
  return deltaAnswer(deltas, { finishReason: 'stop', ...options });
}

/** Parallel tool calls, each with its arguments in pieces; `text` stands before them. */
export function toolCallsAnswer(
  calls: readonly ScriptedCall[],
  options: AnswerOptions & { readonly text?: string } = {},
): ScriptedResponse {
  const text = options.text === undefined ? [] : [{ content: options.text }];
  const deltas = calls.flatMap((call, index) => callDeltas(call, index));
  return deltaAnswer([...text, ...deltas], { finishReason: 'tool_calls', ...options });
}

/** Any deltas of choice 0, one chunk each, then finish reason, usage and `[DONE]`. */
export function deltaAnswer(deltas: readonly object[], options: AnswerOptions = {}): ScriptedResponse {
  const { model = 'scripted-model', usage = DEFAULT_USAGE, finishReason = 'stop', between = [], ...response } = options;
  const base = { id: 'chatcmpl-scripted', object: 'chat.completion.chunk', created: 1_700_000_000, model };
  const choice = (delta: object, finish: string | null) => ({ ...base, choices: [{ index: 0, delta, finish_reason: finish }] });
  const chunks: object[] = [choice({ role: 'assistant', content: '' }, null), ...deltas.map((delta) => choice(delta, null))];
  if (finishReason !== null) chunks.push(choice({}, finishReason));
  if (usage !== null) chunks.push({ ...base, choices: [], usage });
  return { ...response, steps: [...eventSteps(chunks, between), write('data: [DONE]\n\n'), { kind: 'end' }] };
}

/** A whole completion as one JSON body, as for `stream: false`. */
export function wholeAnswer(message: object, options: AnswerOptions = {}): ScriptedResponse {
  const { model = 'scripted-model', usage = DEFAULT_USAGE, finishReason = 'stop', between: _between, ...response } = options;
  const choices = [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finishReason }];
  const body = {
    id: 'chatcmpl-scripted',
    object: 'chat.completion',
    created: 1_700_000_000,
    model,
    choices,
    ...(usage === null ? {} : { usage }),
  };
  return jsonAnswer(200, body, response);
}

/** An error as the API sends one: a status and an `error` object; a string is the body as it is. */
export function errorAnswer(
  status: number,
  error: object | string,
  options: Omit<ScriptedResponse, 'steps'> & { readonly headers?: Readonly<Record<string, string>> } = {},
): ScriptedResponse {
  return jsonAnswer(status, typeof error === 'string' ? error : { error }, options);
}

/** The body of a stream, written raw, one piece a network write. A string in the list is a `write` step. */
export function rawAnswer(pieces: readonly (string | ScriptStep)[], options: Omit<ScriptedResponse, 'steps'> = {}): ScriptedResponse {
  return { ...options, steps: pieces.map((piece) => (typeof piece === 'string' ? write(piece) : piece)) };
}

/** One chunk as a server-sent event. */
export const eventOf = (chunk: unknown): string => `data: ${JSON.stringify(chunk)}\n\n`;

function jsonAnswer(
  status: number,
  body: unknown,
  options: Omit<ScriptedResponse, 'steps'> & { readonly headers?: Readonly<Record<string, string>> },
): ScriptedResponse {
  const { headers, ...response } = options;
  const data = typeof body === 'string' ? body : JSON.stringify(body);
  return {
    ...response,
    steps: [{ kind: 'head', status, headers: { 'content-type': 'application/json', ...headers } }, write(data), { kind: 'end' }],
  };
}

function eventSteps(chunks: readonly object[], between: readonly ScriptStep[]): readonly ScriptStep[] {
  return chunks.flatMap((chunk, index) => (index === 0 ? [write(eventOf(chunk))] : [...between, write(eventOf(chunk))]));
}

function callDeltas(call: ScriptedCall, index: number): readonly object[] {
  const text = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments ?? {});
  const head = { index, id: call.id ?? `call_${index}`, type: 'function', function: { name: call.name, arguments: '' } };
  return [head, ...cut(text).map((piece) => ({ index, function: { arguments: piece } }))].map((entry) => ({ tool_calls: [entry] }));
}

function cut(text: string): readonly string[] {
  const characters = Array.from(text);
  const count = Math.ceil(characters.length / DEFAULT_PIECE_CHARS);
  return Array.from({ length: count }, (_, index) =>
    characters.slice(index * DEFAULT_PIECE_CHARS, (index + 1) * DEFAULT_PIECE_CHARS).join(''),
  );
}

function write(data: string): ScriptStep {
  return { kind: 'write', data };
}
