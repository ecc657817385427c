/** From the calls of an assistant message to calls that may be run and calls that are answered at birth (R39). */

import type { OfferedTool } from '../../agents/middleware';
import type { JsonObject } from '../../domain/loop';
import type { AcceptedCall, ParsedCall, RejectedCall } from '../../domain/turn';
import { isObject, objectAt, type ForeignObject } from '../foreign-json';
import { cleanJson, cleanText } from '../request/clean-text';
import {
  cutAnswer,
  invalidJsonAnswer,
  notAnObjectAnswer,
  schemaAnswer,
  tooManyCallsAnswer,
  UNKNOWN_TOOL,
  unknownToolAnswer,
  unreadableTextAnswer,
} from './call-answers';
import { createCallIdGiver } from './call-ids';
import { parseArguments, type ParsedArguments } from './parse-arguments';
import type { SchemaChecks } from './schema-checks';
import { resolveTool } from './tool-names';

export interface ParseCallsOptions {
  readonly tools: readonly OfferedTool[];
  readonly schemas: SchemaChecks;
  /** The provider said that its output limit ended the answer: the last call may be a part of one. */
  readonly isCutByLimit: boolean;
  readonly maxCallsPerTurn: number;
}

/** In the order given. @param calls `tool_calls` of the message, whatever stands there */
export function parseCalls(calls: readonly unknown[], options: ParseCallsOptions): readonly ParsedCall[] {
  const giveId = createCallIdGiver();
  const entries = calls.filter(isObject);
  return entries.map((entry, index) => {
    const call = readCall(entry, options.tools);
    const verdict = judge(call, { ...options, index, isLast: index === entries.length - 1 });
    const base = { providerId: cleanText(giveId(entry.id)), name: cleanText(call.name), argumentsRaw: cleanText(call.arguments.raw) };
    if (typeof verdict === 'string') return { kind: 'rejected', ...base, answer: cleanText(verdict) } satisfies RejectedCall;
    return { kind: 'accepted', ...base, ...verdict } satisfies AcceptedCall;
  });
}

interface ReadCall {
  readonly name: string;
  readonly offered: OfferedTool | undefined;
  readonly arguments: ParsedArguments;
  /** Set where a call that was written as text could not be read. */
  readonly textFault: ForeignObject | undefined;
  /** Set where a call that was written as text ends too early. */
  readonly textEnding: unknown;
}

function readCall(entry: ForeignObject, tools: readonly OfferedTool[]): ReadCall {
  const body = isObject(entry.function) ? entry.function : isObject(entry.custom) ? entry.custom : entry;
  const { name, offered } = resolveTool(body.name, tools);
  const { fault, ending } = objectAt(entry, 'text_call');
  return {
    name: name ?? UNKNOWN_TOOL,
    offered,
    arguments: parseArguments(body.arguments ?? body.input),
    textFault: isObject(fault) ? fault : undefined,
    textEnding: ending,
  };
}

interface JudgeOptions extends ParseCallsOptions {
  readonly index: number;
  readonly isLast: boolean;
}

type Acceptance = Pick<AcceptedCall, 'arguments' | 'effect' | 'mcpSessionId'>;

/** What the call may do, or the text that answers it. */
function judge(call: ReadCall, options: JudgeOptions): Acceptance | string {
  const sent = { name: call.name, argumentsRaw: call.arguments.raw };
  if (options.index >= options.maxCallsPerTurn)
    return tooManyCallsAnswer(sent, { number: options.index + 1, limit: options.maxCallsPerTurn });
  if (call.textFault !== undefined) return unreadableTextAnswer(sent, readFault(call.textFault));
  if (call.offered === undefined)
    return unknownToolAnswer(
      sent,
      options.tools.map((tool) => tool.exposedName),
    );
  const isCut = isCutCall(call, options);
  if (isCut !== undefined) return cutAnswer(sent, isCut === 'by-limit');
  if (call.arguments.kind === 'invalid') return invalidJsonAnswer(sent, call.arguments.fault);
  if (call.arguments.kind === 'not-an-object') return notAnObjectAnswer(sent);
  const problems = options.schemas.check(call.offered.tool.inputSchema, call.arguments.value);
  return problems.length > 0 ? schemaAnswer(sent, problems) : acceptance(call.offered, call.arguments.value);
}

type Cut = 'by-limit' | 'without-a-word';

/** Arguments that never began are cut as well, where the limit ended the answer in this call (P40). */
function isCutCall({ arguments: parsed, textEnding }: ReadCall, { isCutByLimit, isLast }: JudgeOptions): Cut | undefined {
  const neverBegan = parsed.kind === 'object' && parsed.raw.trim() === '';
  if (isCutByLimit && isLast && (neverBegan || textEnding === 'unclosed')) return 'by-limit';
  const isCut = textEnding === 'in-value' || (parsed.kind === 'invalid' && parsed.fault.isCut);
  if (!isCut) return undefined;
  return isCutByLimit ? 'by-limit' : 'without-a-word';
}

function acceptance({ tool, mcpSessionId }: OfferedTool, value: JsonObject): Acceptance {
  return { arguments: cleanJson(value) as JsonObject, effect: tool.effect, ...(mcpSessionId === undefined ? {} : { mcpSessionId }) };
}

function readFault(fault: ForeignObject): { readonly problem: string; readonly offset?: number } {
  const problem = typeof fault.problem === 'string' ? fault.problem : 'it could not be read';
  return typeof fault.offset === 'number' ? { problem, offset: fault.offset } : { problem };
}
