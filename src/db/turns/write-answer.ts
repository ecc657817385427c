/** The one statement of a turn's commit: assistant message, calls, answers of rejected ones, counters (R5, R37-R39). */

import { type RawBuilder, sql } from 'kysely';
import { type MessageId, type ToolCallId, toId } from '../../domain/ids';
import type { UnresolvedCall } from '../../domain/next-step';
import type { ParsedCall, TurnAnswer } from '../../domain/turn';
import type { TokenUsage } from '../../domain/usage';
import { cleanText, cleanTextOrNull } from '../postgres/clean-text';
import type { DatabaseTransaction } from '../database';
import { toJsonb } from '../postgres/jsonb';
import { LOCKED_LOOP_COLUMNS, type LockedLoop, type LockedLoopRow, loopNotFound, toLockedLoop } from '../repositories/loops.repository';
import { discardedField, type DiscardingTurn } from './add-discarded';

export interface AnsweredTurn extends DiscardingTurn {
  readonly answer: TurnAnswer;
}

export interface WrittenAnswer {
  /** As the turn left it: in tool phase, or `queued`. */
  readonly locked: LockedLoop;
  readonly messageIds: readonly MessageId[];
  readonly acceptedCalls: readonly UnresolvedCall[];
  /** User messages wait (R63). */
  readonly hasPending: boolean;
}

interface WrittenRow extends LockedLoopRow {
  readonly message_id: string;
  readonly answer_ids: readonly string[];
  readonly accepted: readonly { readonly id: string; readonly name: string }[];
  readonly has_pending: boolean;
}

/** The caller holds the loop's lock and has checked the turn's fences. */
export async function writeAnswer(trx: DatabaseTransaction, options: AnsweredTurn): Promise<WrittenAnswer> {
  const { rows } = await sql<WrittenRow>`
    with place as (
      select coalesce(max(seq), 0) as last from solid_loop.messages where loop_id = ${options.loopId}
    ),
    ${assistantMessage(options)},
    ${callsOf(options)},
    triggering as (
      update solid_loop.messages set status = 'success', error_message = null, updated_at = clock_timestamp()
      where loop_id = ${options.loopId} and turn_number = ${options.turnNumber} and role = 'user' and status in ('processing', 'failed')
    ),
    committed as (${loopAfter(options)})
    select committed.*,
      (select id from assistant) as message_id,
      array(select cast(id as text) from answers order by seq) as answer_ids,
      coalesce((select json_agg(json_build_object('id', cast(id as text), 'name', function_name) order by position)
        from calls where not rejected), '[]') as accepted,
      exists (select from solid_loop.messages where loop_id = ${options.loopId} and status = 'pending') as has_pending
    from committed`.execute(trx);
  const row = rows[0];
  if (row === undefined) throw loopNotFound(options.loopId);
  return {
    locked: toLockedLoop(row),
    messageIds: [row.message_id, ...row.answer_ids].map((id) => toId<MessageId>(id)),
    acceptedCalls: row.accepted.map((call) => ({ id: toId<ToolCallId>(call.id), name: call.name })),
    hasPending: row.has_pending,
  };
}

/** The shell of this claim becomes the message; an agent that does not stream has none, and a row is made. */
function assistantMessage({ loopId, turnNumber, generation, answer, discarded }: AnsweredTurn): RawBuilder<unknown> {
  const { timings, cost } = answer;
  const usage = toWholeTokens(answer.usage);
  return sql`brought as (
      select ${cleanTextOrNull(answer.content)}::text as content, ${cleanTextOrNull(answer.reasoningContent)}::text as reasoning_content,
        ${toJsonb(answer.toolCallsRaw)} as tool_calls_raw, ${toJsonb(answer.providerExtras)} as provider_extras,
        ${toJsonb({ ...answer.metadata, ...discardedField(discarded) })} as metadata, ${cleanTextOrNull(answer.errorMessage)}::text as error_message,
        ${usage.prompt}::integer as tokens_prompt, ${usage.completion}::integer as tokens_completion, ${usage.total}::integer as tokens_total,
        ${usage.promptCached}::integer as tokens_prompt_cached, ${usage.reasoning}::integer as tokens_reasoning,
        ${timings.tokensPerSecond}::float8 as tps, ${timings.timeToFirstToken}::float8 as ttft, ${timings.thinking}::float8 as duration_thinking,
        ${timings.generation}::float8 as duration_generation, ${cost.amountUsd}::numeric as cost, ${cost.isKnown}::boolean as cost_known
    ), filled_shell as (
      update solid_loop.messages m
      set status = 'success', is_hidden = false, content = b.content, reasoning_content = b.reasoning_content, tool_calls_raw = b.tool_calls_raw,
        provider_extras = b.provider_extras, metadata = m.metadata || b.metadata, error_message = b.error_message,
        tokens_prompt = b.tokens_prompt, tokens_completion = b.tokens_completion, tokens_total = b.tokens_total,
        tokens_prompt_cached = b.tokens_prompt_cached, tokens_reasoning = b.tokens_reasoning, tps = b.tps, ttft = b.ttft,
        duration_thinking = b.duration_thinking, duration_generation = b.duration_generation, cost = b.cost, cost_known = b.cost_known,
        updated_at = clock_timestamp()
      from brought b
      where m.loop_id = ${loopId} and m.generation = ${generation} and m.role = 'assistant' and m.status = 'processing'
      returning m.id
    ), new_message as (
      insert into solid_loop.messages (loop_id, role, status, turn_number, generation, seq, content, reasoning_content, tool_calls_raw,
        provider_extras, metadata, error_message, tokens_prompt, tokens_completion, tokens_total, tokens_prompt_cached, tokens_reasoning,
        tps, ttft, duration_thinking, duration_generation, cost, cost_known)
      select ${loopId}, 'assistant', 'success', ${turnNumber}, ${generation}, place.last + 1, b.content, b.reasoning_content, b.tool_calls_raw,
        b.provider_extras, b.metadata, b.error_message, b.tokens_prompt, b.tokens_completion, b.tokens_total, b.tokens_prompt_cached, b.tokens_reasoning,
        b.tps, b.ttft, b.duration_thinking, b.duration_generation, b.cost, b.cost_known
      from brought b, place where not exists (select from filled_shell)
      returning id
    ), assistant as (
      select id from filled_shell union all select id from new_message
    )`;
}

/** The answers stand behind the assistant message, in call order: place.last + 1 may be its own. */
function callsOf({ loopId, turnNumber, generation, answer }: AnsweredTurn): RawBuilder<unknown> {
  return sql`given as (
      select * from jsonb_to_recordset(${toJsonb(answer.calls.map(toCallJson))}) as given(position integer, provider_id text, name text,
        arguments jsonb, arguments_raw text, rejected boolean, answer text, effect text, mcp_session_id bigint, metadata jsonb)
    ), calls as (
      insert into solid_loop.tool_calls (loop_id, message_id, position, tool_call_id, function_name, arguments, arguments_raw, rejected, is_answered,
        effect, mcp_session_id, metadata, generation)
      select ${loopId}, assistant.id, given.position, given.provider_id, given.name, given.arguments, given.arguments_raw, given.rejected, given.rejected,
        cast(given.effect as solid_loop.tool_effect), given.mcp_session_id, given.metadata, ${generation}
      from given, assistant
      returning id, position, tool_call_id, function_name, rejected
    ), answers as (
      insert into solid_loop.messages (loop_id, role, status, turn_number, generation, seq, content, tool_call_ref, tool_call_id)
      select ${loopId}, 'tool', 'success', ${turnNumber}, ${generation},
        place.last + 1 + cast(row_number() over (order by calls.position) as integer), given.answer, calls.id, calls.tool_call_id
      from calls join given using (position), place where calls.rejected
      returning id, seq
    )`;
}

function toCallJson(call: ParsedCall, position: number): unknown {
  const { providerId, name, argumentsRaw, metadata } = call;
  const common = {
    position,
    provider_id: providerId,
    name: name === '' ? 'unknown_tool' : name,
    arguments_raw: argumentsRaw,
    metadata: metadata ?? {},
  };
  if (call.kind === 'rejected') return { ...common, arguments: {}, rejected: true, answer: cleanText(call.answer), effect: 'unsafe' };
  return { ...common, arguments: call.arguments, rejected: false, effect: call.effect, mcp_session_id: call.mcpSessionId };
}

/** R38, as far as it needs no pause or end: tool phase under this generation, or the next turn. */
function loopAfter({ loopId, answer, discarded }: AnsweredTurn): RawBuilder<unknown> {
  const { timings, cost } = answer;
  const usage = toWholeTokens(answer.usage);
  const status = hasAcceptedCall(answer) ? 'running' : 'queued';
  return sql`
      update solid_loop.loops
      set status = ${status},
        status_changed_at = case when ${status} = 'running' then status_changed_at else clock_timestamp() end,
        lease_expires_at = null,
        turn_number = turn_number + 1,
        turn_failures = 0,
        lost_attempts = 0,
        last_phase = null,
        revivals = 0,
        step_count = step_count + 1,
        tokens_prompt = tokens_prompt + ${usage.prompt ?? 0},
        tokens_completion = tokens_completion + ${usage.completion ?? 0},
        tokens_total = tokens_total + ${usage.total ?? 0},
        tokens_prompt_cached = tokens_prompt_cached + ${usage.promptCached ?? 0},
        duration_generation = duration_generation + ${timings.generation},
        cost = cost + ${cost.amountUsd}::numeric,
        cost_discarded = cost_discarded + ${discarded?.cost.amountUsd ?? '0'}::numeric,
        cost_known = cost_known and ${cost.isKnown && discarded?.cost.isKnown !== false},
        updated_at = clock_timestamp()
      where id = ${loopId}
      returning ${LOCKED_LOOP_COLUMNS}`;
}

/** Providers have sent fractions; a column of tokens holds whole numbers up to 2^31 - 1. */
function toWholeTokens(usage: TokenUsage): TokenUsage {
  const toWhole = (amount: number | null): number | null =>
    amount === null || !Number.isFinite(amount) ? null : Math.min(Math.max(Math.round(amount), 0), 2_147_483_647);
  return {
    prompt: toWhole(usage.prompt),
    completion: toWhole(usage.completion),
    total: toWhole(usage.total),
    promptCached: toWhole(usage.promptCached),
    reasoning: toWhole(usage.reasoning),
  };
}

const hasAcceptedCall = (answer: TurnAnswer): boolean => answer.calls.some((call) => call.kind === 'accepted');
