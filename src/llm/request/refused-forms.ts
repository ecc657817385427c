/** The forms of a request that some servers refuse, told by their words and by what was sent; each is learnt once for its endpoint. */

import { isObject } from '../foreign-json';

type Request = Readonly<Record<string, unknown>>;
type Message = Readonly<Record<string, unknown>>;

export interface RefusedForm {
  readonly kind: string;
  readonly says: RegExp;
  /** Where it is not, the request would be sent unchanged. */
  readonly isIn: (request: Request) => boolean;
  readonly facts: Readonly<Record<string, unknown>>;
}

const NINE_ALPHANUMERIC = /^[a-zA-Z0-9]{9}$/;

/** Asked in this order; the first that fits is mended. */
export const REFUSED_FORMS: readonly RefusedForm[] = [
  {
    kind: 'call-ids',
    says: /(tool.?call.?id|tool_calls?(\[|\.)\d+\]?\.id|call_id)\b[\s\S]*(length|pattern|too long|must be|invalid)|too long[\s\S]*tool_calls?(\[|\.)\d+\]?\.id/i,
    isIn: (request) => callsOf(request).some(({ id }) => typeof id === 'string' && !NINE_ALPHANUMERIC.test(id)),
    facts: { callIds: 'nine-alphanumeric' },
  },
  {
    kind: 'user-after-tool',
    says: /unexpected role .?user.? after role .?tool|roles must alternate|user.? (message )?(cannot|can't|must not) (directly )?follow.{0,20}tool/i,
    isIn: (request) => messagesOf(request).some(({ role }, index, all) => role === 'user' && all[index - 1]?.role === 'tool'),
    facts: { assistantAfterTool: true },
  },
  {
    kind: 'later-system',
    says: /system\b[\s\S]{0,60}(beginning|first|start|only one|single|multiple|alternate|separated)|roles must alternate|unexpected role .?system/i,
    isIn: (request) => messagesOf(request).some(({ role }, index) => role === 'system' && index > 0),
    facts: { systemFirst: true },
  },
  {
    kind: 'tools-for-history',
    says: /toolConfig|tool_config|must define tools|`?tools`?=? (param|field|must be|is required)/i,
    isIn: (request) => request.tools === undefined && callsOf(request).length > 0,
    facts: { toolsForHistory: true },
  },
  {
    kind: 'stream',
    says: /stream(ing)?\b[\s\S]{0,40}(not supported|unsupported|not available|not allowed)|verified to stream/i,
    isIn: (request) => request.stream === true,
    facts: { stream: false },
  },
  {
    kind: 'include',
    says: /encrypted.?content|['"`]?include['"`]?\b.{0,20}(unknown|unsupported|not supported|unrecognized)|(unknown|unsupported|unrecognized)\b.{0,30}['"`]include['"`]/i,
    isIn: (request) => request.include !== undefined,
    facts: { include: false },
  },
];

export function messagesOf(request: Request): readonly Message[] {
  return Array.isArray(request.messages) ? request.messages.filter(isObject) : [];
}

const callsOf = (request: Request): readonly Message[] =>
  messagesOf(request).flatMap(({ tool_calls: calls }) => (Array.isArray(calls) ? calls.filter(isObject) : []));
