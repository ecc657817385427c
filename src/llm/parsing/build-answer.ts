/** From a raw answer to what a turn commits: content, calls, counts, timings, cost, and why it is short where it is. */

import type { ModelSettings } from '../../agents/agent';
import type { OfferedTool } from '../../agents/middleware';
import type { JsonObject, JsonValue } from '../../domain/loop';
import type { ParsedCall, TurnAnswer } from '../../domain/turn';
import { isObject, type ForeignObject } from '../foreign-json';
import { costOfUsage } from '../pricing/cost-of-usage';
import { readUsage } from '../pricing/read-usage';
import { makerOf } from '../request/build-conversation';
import { cleanJson, cleanText } from '../request/clean-text';
import { MADE_BY } from '../request/replayed-extras';
import { finishKindOf, type FinishKind } from '../stream/finish-reason';
import type { RawAnswer } from '../stream/raw-answer';
import { parseCalls } from './parse-calls';
import { providerExtrasOf } from './provider-extras';
import type { SchemaChecks } from './schema-checks';
import { turnTimings } from './turn-timings';

export interface BuildAnswerOptions {
  /** As it is on the context, after the middlewares. */
  readonly message: ForeignObject;
  readonly finishReason: string | undefined;
  readonly raw: Pick<RawAnswer, 'usage' | 'model' | 'marks' | 'ignoredParts'>;
  readonly model: ModelSettings;
  readonly tools: readonly OfferedTool[];
  readonly schemas: SchemaChecks;
  readonly maxCallsPerTurn: number;
}

export function buildAnswer(options: BuildAnswerOptions): TurnAnswer {
  const { message, finishReason, raw, model } = options;
  const finish = finishKindOf(finishReason);
  const sentCalls = Array.isArray(message.tool_calls) ? (message.tool_calls as readonly unknown[]) : [];
  const refusal = textOrNull(message.refusal);
  const content = textOrNull(message.content) ?? refusal;
  const calls = finish === 'filter' ? [] : parseCalls(sentCalls, { ...options, isCutByLimit: finish === 'length' });
  const usage = readUsage(raw.usage);
  return {
    content,
    reasoningContent: textOrNull(message.reasoning_content),
    calls,
    toolCallsRaw: sentCalls.length === 0 ? null : (cleanJson(sentCalls) as readonly JsonObject[]),
    providerExtras: providerExtrasOf(message),
    metadata: metadataOf(options, refusal !== null),
    usage,
    timings: turnTimings(raw.marks, usage.completion),
    cost: costOfUsage({ model, usage, ...(raw.usage === undefined ? {} : { rawUsage: raw.usage }) }),
    errorMessage: shortcoming({ finish, finishReason, content, calls }),
  };
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? cleanText(value) : null;
}

/** The model that served: the one echoed, else the one asked for (R36). */
function metadataOf({ message, finishReason, raw, model }: BuildAnswerOptions, isRefusal: boolean): JsonObject {
  const served = raw.model ?? model.name;
  const fields: Readonly<Record<string, unknown>> = {
    ...(finishReason === undefined ? {} : { finish_reason: finishReason }),
    ...(served === '' ? {} : { model: served }),
    [MADE_BY]: makerOf(model),
    ...(isRefusal ? { refusal: true } : {}),
    ...(Object.keys(raw.ignoredParts).length === 0 ? {} : { ignored_parts: raw.ignoredParts }),
    ...(Array.isArray(message.text_tool_calls) ? { text_tool_calls: message.text_tool_calls } : {}),
  };
  return cleanJson(fields) as Record<string, JsonValue>;
}

interface Outcome {
  readonly finish: FinishKind;
  readonly finishReason: string | undefined;
  readonly content: string | null;
  readonly calls: readonly ParsedCall[];
}

/** Why a person finds the answer short, or null. */
function shortcoming({ finish, finishReason, content, calls }: Outcome): string | null {
  const reason = `(finish reason "${cleanText(finishReason ?? '')}")`;
  if (finish === 'filter') return `The provider's content filter ended this answer ${reason}.`;
  if (finish === 'malformed-call' && calls.length === 0) return `The model wrote a tool call that its provider could not read ${reason}.`;
  if (calls.length > 0) return null;
  if (finish === 'length') return `The answer was cut off by the output limit ${reason}.`;
  return content === null ? `The model gave no answer ${reason}.` : null;
}

/** True where nothing in the message answers: neither text nor a call. */
export function isAnswerless(message: ForeignObject): boolean {
  const hasCalls = Array.isArray(message.tool_calls) && message.tool_calls.some(isObject);
  return !hasCalls && textOrNull(message.content) === null && textOrNull(message.refusal) === null;
}
