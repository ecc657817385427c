/** What must hold in the tables whatever died: each invariant is a query for the rows that break it. */

export interface TableInvariant {
  readonly id: string;
  readonly sentence: string;
  /** Answers a row for each violation: `loop_id` and `detail`. */
  readonly sql: string;
}

export const TABLE_INVARIANTS: readonly TableInvariant[] = [
  {
    id: 'one-answer-a-turn',
    sentence: 'each committed turn has one visible assistant message, and no other turn has one',
    sql: `
      select l.id as loop_id, format('turn %s of %s has %s visible answers', turn.n, l.turn_number, count(m.id)) as detail
      from solid_loop.loops l cross join lateral generate_series(1, l.turn_number) as turn (n)
      left join solid_loop.messages m on m.loop_id = l.id and m.turn_number = turn.n and m.role = 'assistant' and m.status = 'success' and not m.is_hidden
      group by l.id, l.turn_number, turn.n
      having count(m.id) <> case when turn.n < l.turn_number then 1 else 0 end`,
  },
  {
    id: 'one-result-a-call',
    sentence: 'no call has two tool messages, and each tool message answers a call of its own loop',
    sql: `
      select c.loop_id, format('call %s has %s tool messages', c.id, count(m.id)) as detail
      from solid_loop.tool_calls c join solid_loop.messages m on m.tool_call_ref = c.id
      group by c.id, c.loop_id having count(m.id) > 1
      union all
      select m.loop_id, format('message %s answers call %s of another loop', m.id, c.id)
      from solid_loop.messages m join solid_loop.tool_calls c on c.id = m.tool_call_ref where c.loop_id <> m.loop_id`,
  },
  {
    id: 'every-call-resolved',
    sentence: 'a loop that is completed, or that a turn is due for, has no call without its tool message',
    sql: `
      select c.loop_id, format('call %s of a %s loop has no tool message', c.id, l.status) as detail
      from solid_loop.tool_calls c join solid_loop.loops l on l.id = c.loop_id
      where l.status in ('completed', 'queued') and not exists (select from solid_loop.messages m where m.tool_call_ref = c.id)`,
  },
  {
    id: 'results-behind-their-calls',
    sentence: 'between an assistant message and the results of its calls stands no other visible message',
    sql: `
      select a.loop_id, format('message %s stands between message %s and the result of its call %s', x.id, a.id, c.id) as detail
      from solid_loop.messages a
      join solid_loop.tool_calls c on c.message_id = a.id
      join solid_loop.messages t on t.tool_call_ref = c.id
      join solid_loop.messages x on x.loop_id = a.loop_id and not x.is_hidden and x.seq > a.seq and x.seq < t.seq and x.role <> 'tool'
      union all
      select a.loop_id, format('the result of call %s stands before it', c.id)
      from solid_loop.messages a
      join solid_loop.tool_calls c on c.message_id = a.id
      join solid_loop.messages t on t.tool_call_ref = c.id and t.seq <= a.seq`,
  },
  {
    id: 'counters-are-sums',
    sentence: 'steps, tokens, times and cost of a loop are the sums of what its answers and calls say',
    // A failure that ended the loop, or did before it went on, may be a step without an answer (R41). A checkpoint after the answer came too late to be counted (R54).
    sql: `
      select l.id as loop_id, format('steps %s of %s, tokens %s/%s/%s of %s/%s/%s, cost %s of %s, times %s/%s of %s/%s',
        l.step_count, a.steps, l.tokens_prompt, l.tokens_completion, l.tokens_total, a.prompt, a.completion, a.total, l.cost, a.cost,
        l.duration_generation, l.duration_tools, a.generation, t.duration) as detail
      from solid_loop.loops l
      cross join lateral (
        select count(*) as steps, coalesce(sum(m.tokens_prompt), 0) as prompt, coalesce(sum(m.tokens_completion), 0) as completion,
          coalesce(sum(m.tokens_total), 0) as total, coalesce(sum(m.tokens_prompt_cached), 0) as cached,
          coalesce(sum(m.cost), 0) as cost, coalesce(sum(m.duration_generation), 0) as generation
        from solid_loop.messages m where m.loop_id = l.id and m.role = 'assistant' and m.status = 'success') a
      cross join lateral (
        select coalesce(sum(c.duration), 0) as duration
        from solid_loop.tool_calls c join solid_loop.messages m on m.tool_call_ref = c.id
        where c.loop_id = l.id and c.executed_at <= m.created_at) t
      cross join lateral (
        select count(*) + (case when l.error_code is null then 0 else 1 end) as failures
        from solid_loop.control_requests r
        where r.loop_id = l.id and r.verb in ('retry', 'reopen') and r.answer ->> 'ok' = 'true') f
      where l.tokens_prompt <> a.prompt or l.tokens_completion <> a.completion or l.tokens_total <> a.total or l.tokens_prompt_cached <> a.cached
        or l.cost <> a.cost or abs(l.duration_tools - t.duration) > 0.000001
        or (l.step_count = a.steps and abs(l.duration_generation - a.generation) > 0.000001 and f.failures = 0)
        or l.step_count not between a.steps and a.steps + f.failures`,
  },
  {
    id: 'no-partial-text',
    sentence: 'no text of an attempt that did not commit can be seen, and none is still in the making where no turn is in flight',
    sql: `
      select m.loop_id, format('message %s is visible and %s', m.id, m.status) as detail
      from solid_loop.messages m where m.role = 'assistant' and not m.is_hidden and m.status <> 'success'
      union all
      select m.loop_id, format('message %s is a shell of a loop that is %s and holds no lease', m.id, l.status)
      from solid_loop.messages m join solid_loop.loops l on l.id = m.loop_id
      where m.role = 'assistant' and m.status = 'processing' and (l.status <> 'running' or l.lease_expires_at is null)
      union all
      select m.loop_id, format('message %s is a second shell of its loop', m.id)
      from solid_loop.messages m where m.role = 'assistant' and m.status = 'processing' and exists (
        select from solid_loop.messages other where other.loop_id = m.loop_id and other.id < m.id and other.role = 'assistant' and other.status = 'processing')`,
  },
  {
    id: 'nothing-held-at-rest',
    sentence: 'a paused or ended loop holds no lease; a leased call there is an unsafe body that still runs',
    sql: `
      select l.id as loop_id, format('a %s loop holds a lease', l.status) as detail
      from solid_loop.loops l where l.status <> 'running' and l.lease_expires_at is not null
      union all
      select c.loop_id, format('call %s (%s) of a %s loop holds a lease', c.id, c.effect, l.status)
      from solid_loop.tool_calls c join solid_loop.loops l on l.id = c.loop_id
      where l.status in ('paused', 'completed', 'failed', 'cancelled') and c.lease_expires_at is not null
        and not (c.effect = 'unsafe' and c.started_at is not null and c.executed_at is null)`,
  },
  {
    id: 'messages-delivered-once',
    sentence: 'each message of a user is one message, none is left behind by a loop that completed, and all have a place in the transcript',
    sql: `
      select m.loop_id, format('message %s of a completed loop is still %s', m.id, m.status) as detail
      from solid_loop.messages m join solid_loop.loops l on l.id = m.loop_id
      where m.role = 'user' and l.status = 'completed' and m.status in ('pending', 'processing')
      union all
      select r.loop_id, format('request %s to %s has %s messages', r.key, r.verb, count(m.id))
      from solid_loop.control_requests r left join solid_loop.messages m on m.loop_id = r.loop_id and m.key = r.key
      where r.verb in ('steer', 'reopen') and r.answer ->> 'ok' = 'true'
      group by r.loop_id, r.key, r.verb having count(m.id) <> 1
      union all
      select m.loop_id, format('message %s is delivered and has no turn or no place', m.id)
      from solid_loop.messages m
      where m.role = 'user' and m.status <> 'pending' and not m.is_hidden and (m.seq is null or m.turn_number is null)`,
  },
];
