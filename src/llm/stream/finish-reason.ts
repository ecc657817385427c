/** What a finish reason means, in whatever words a provider puts it. */

/** `stop` is everything that is an ordinary end; the presence of calls decides what comes next, not this word (P35). */
export type FinishKind = 'stop' | 'length' | 'filter' | 'malformed-call' | 'error';

/** Matched anywhere in the reason, without regard to case: vendors put prefixes before their words (P41). */
const KINDS: readonly (readonly [FinishKind, RegExp])[] = [
  ['malformed-call', /malformed|unexpected_tool_call/i],
  ['filter', /content.?filter|safety|guardrail|^sensitive$|recitation|blocklist|prohibited_content|^spii$|^refusal$/i],
  ['length', /length|max.?(output.?)?tokens|token.?limit|context.?window/i],
  ['error', /error|^abort|insufficient_system_resource|^cancell?ed$/i],
];

/** Undefined and empty reasons are ordinary ends. */
export function finishKindOf(reason: string | undefined): FinishKind {
  return KINDS.find(([, words]) => words.test(reason ?? ''))?.[0] ?? 'stop';
}
