/** Finds what to change after a refusal that names its reason (P46, P86, P88, P107). A final error is never resent unchanged. */

import { isProviderError } from '../errors/provider-error';
import { readErrorBody, type ErrorFacts } from '../errors/read-error-body';
import { isObject, textOf } from '../foreign-json';
import { messagesOf, REFUSED_FORMS } from './refused-forms';

export interface Repair {
  /** One repair of a kind in a turn, no more. */
  readonly kind: string;
  /** Learnt for this endpoint: the next request is built with it. */
  readonly facts?: Readonly<Record<string, unknown>>;
  /** Told to the model in the next request, and not stored. */
  readonly note?: string;
}

type Request = Readonly<Record<string, unknown>>;

const REFUSAL_STATUSES: readonly (number | undefined)[] = [400, 422];
const GENERATION_SHOWN_CHARS = 500;

const FIELD_MISSING = /missing|required|must be (passed|provided|included)|not found/i;
const CONTENT_FORM = /content/i;
const CONTENT_FAULT = /empty|null|none\b|nil\b|required|missing|valid string|expected (a )?string|blank|at least 1 char/i;

export function findRepair(error: unknown, request: Request | undefined): Repair | undefined {
  if (!isProviderError(error) || request === undefined) return undefined;
  const facts = readErrorBody(error);
  if (!REFUSAL_STATUSES.includes(facts.status)) return undefined;
  const text = `${facts.message} ${facts.words.join(' ')} ${textOf(facts.error.param) ?? ''} ${error.body}`;
  return (
    failedGeneration(facts) ??
    streamOptions(text, request) ??
    reasoning(text, request) ??
    extras(text, request) ??
    responseFormat(text, request) ??
    emptyContent(text, request) ??
    refusedForm(facts.text, request)
  );
}

function failedGeneration({ words, error }: ErrorFacts): Repair | undefined {
  if (!words.includes('tool_use_failed')) return undefined;
  const generation =
    typeof error.failed_generation === 'string'
      ? ` This is what was written: ${error.failed_generation.slice(0, GENERATION_SHOWN_CHARS)}`
      : '';
  return {
    kind: 'failed-generation',
    note: `Your last attempt to call a tool could not be read.${generation}\nCall the tool again through the tools that are offered, with arguments that are one JSON object.`,
  };
}

function streamOptions(text: string, request: Request): Repair | undefined {
  return 'stream_options' in request && /stream_options|include_usage/.test(text)
    ? { kind: 'stream-options', facts: { streamUsage: false } }
    : undefined;
}

/** Refused where it was sent, or demanded where it was not. */
function reasoning(text: string, request: Request): Repair | undefined {
  if (!text.includes('reasoning_content')) return undefined;
  if (hasField(request, 'reasoning_content')) return { kind: 'reasoning', facts: { replayReasoning: 'never' } };
  return FIELD_MISSING.test(text) ? { kind: 'reasoning', facts: { replayReasoning: 'with-calls' } } : undefined;
}

function extras(text: string, request: Request): Repair | undefined {
  const refused = ['reasoning_details', 'thinking_blocks', 'extra_content'].some(
    (field) => text.includes(field) && hasField(request, field),
  );
  return refused ? { kind: 'extras', facts: { replayExtras: false } } : undefined;
}

function responseFormat(text: string, request: Request): Repair | undefined {
  const refused =
    'response_format' in request && /response_format|response_schema|response_mime|json_schema|grammar|structured output/i.test(text);
  return refused ? { kind: 'response-format', facts: { responseFormat: false } } : undefined;
}

function emptyContent(text: string, request: Request): Repair | undefined {
  if (!CONTENT_FORM.test(text) || !CONTENT_FAULT.test(text)) return undefined;
  const empty = messagesOf(request).find((message) => Array.isArray(message.tool_calls) && !message.content);
  return empty === undefined
    ? undefined
    : { kind: 'empty-content', facts: { emptyContent: empty.content === null ? 'empty-string' : 'null' } };
}

/** By what the provider says, not by what it gives back of the request. */
function refusedForm(says: string, request: Request): Repair | undefined {
  return REFUSED_FORMS.find((form) => form.says.test(says) && form.isIn(request));
}

function hasField(request: Request, field: string): boolean {
  return messagesOf(request).some(
    (message) =>
      field in message || (Array.isArray(message.tool_calls) && message.tool_calls.some((call) => isObject(call) && field in call)),
  );
}
