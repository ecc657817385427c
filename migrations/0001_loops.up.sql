-- The tables of SolidLoop, in a schema of their own so that they live inside a host's database.

create schema if not exists solid_loop;

create type solid_loop.loop_status as enum ('init', 'queued', 'running', 'paused', 'completed', 'failed', 'cancelled');
create type solid_loop.message_role as enum ('system', 'user', 'assistant', 'tool');
create type solid_loop.message_status as enum ('pending', 'processing', 'success', 'failed');
create type solid_loop.message_kind as enum ('plain', 'steering');
create type solid_loop.tool_effect as enum ('read', 'idempotent', 'unsafe');
create type solid_loop.requested_stop as enum ('pause', 'stop');

-- One row: which installation these tables are, and which Temporal namespace drives it (R8, R71).
create table solid_loop.installation (
  id uuid primary key default gen_random_uuid(),
  singleton boolean not null default true unique check (singleton),
  namespace_id text,
  created_at timestamptz not null default clock_timestamp()
);
insert into solid_loop.installation default values;

create table solid_loop.loops (
  id bigint generated always as identity primary key,
  namespace_id text,
  workflow_id text not null unique check (char_length(workflow_id) between 1 and 255),
  run_id text,
  task_queue text not null,
  start_key text not null unique,
  agent_name text not null check (agent_name <> ''),
  -- Of the agent as it was when the loop was first opened.
  definition_hash text,
  -- W3C trace context of the start, so that turns and tool calls of any worker belong to its trace.
  trace_parent text,
  title text,
  subject_type text,
  subject_id text,
  state jsonb not null default '{}' check (jsonb_typeof(state) = 'object'),
  status solid_loop.loop_status not null default 'init',
  status_changed_at timestamptz not null default clock_timestamp(),
  error_code text,
  error_message text,
  generation bigint not null default 0,
  -- The generation that `retry` gave a turn in back-off: while it is the loop's, the turn is wanted anew (R67).
  retry_generation bigint,
  -- Temporal's scheduled time of the attempt that claimed last: the order of takeover (R26).
  attempt_scheduled_ms bigint not null default 0,
  lease_expires_at timestamptz,
  renewed_at timestamptz,
  turn_number integer not null default 1 check (turn_number >= 1),
  turn_failures integer not null default 0 check (turn_failures >= 0),
  lost_attempts integer not null default 0 check (lost_attempts >= 0),
  -- Where the last attempt was when it was last heard of; the reason that TurnKeepsDying gives.
  last_phase text,
  revivals integer not null default 0 check (revivals >= 0),
  requested solid_loop.requested_stop,
  requested_by text,
  requested_reason text,
  wake_due_at timestamptz,
  paused_by text,
  paused_reason text,
  paused_at timestamptz,
  paused_seconds double precision not null default 0,
  unknown_since timestamptz,
  admin_frozen boolean not null default false,
  frozen_by text,
  frozen_at timestamptz,
  frozen_reason text,
  observe_enabled boolean not null default false,
  observed_until timestamptz,
  step_count integer not null default 0,
  tokens_prompt bigint not null default 0,
  tokens_completion bigint not null default 0,
  tokens_total bigint not null default 0,
  tokens_prompt_cached bigint not null default 0,
  duration_generation double precision not null default 0,
  duration_tools double precision not null default 0,
  cost numeric(15, 10) not null default 0,
  -- Paid for answers that were never committed, as far as it is known.
  cost_discarded numeric(15, 10) not null default 0,
  cost_known boolean not null default true,
  limits jsonb not null default '{}' check (jsonb_typeof(limits) = 'object'),
  parent_loop_id bigint references solid_loop.loops (id) on delete set null,
  finished_notified_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  constraint loops_lease_only_running check (lease_expires_at is null or status = 'running'),
  constraint loops_frozen_only_at_rest check (not admin_frozen or status in ('paused', 'completed', 'failed', 'cancelled')),
  constraint loops_subject_whole check ((subject_type is null) = (subject_id is null))
);
-- Serves: launching init rows of a queue, listing by status, the reconciler's look at live loops.
create index loops_status on solid_loop.loops (status, status_changed_at);
-- Serves: the host's question "the loops of this record".
create index loops_subject on solid_loop.loops (subject_type, subject_id) where subject_type is not null;
-- Serves: listing and the kill switch by agent.
create index loops_agent on solid_loop.loops (agent_name, id);
-- Serves: the reconciler's search for wakes that were never read (R67).
create index loops_wake_due on solid_loop.loops (wake_due_at) where wake_due_at is not null;
-- Serves: passing stop and freeze down to children (R78).
create index loops_parent on solid_loop.loops (parent_loop_id) where parent_loop_id is not null;
-- Serves: which loops somebody watches, for writers of live parts.
create index loops_observed on solid_loop.loops (observed_until) where observed_until is not null;

create table solid_loop.messages (
  id bigint generated always as identity primary key,
  loop_id bigint not null references solid_loop.loops (id) on delete cascade,
  -- The place in the transcript, given when the row becomes visible to the model (R7).
  seq integer,
  turn_number integer,
  generation bigint,
  role solid_loop.message_role not null,
  kind solid_loop.message_kind not null default 'plain',
  -- The sender's key of a steering message: a repeat is the same message (R62).
  key text,
  status solid_loop.message_status not null,
  is_hidden boolean not null default false,
  content text,
  -- Parts with images, where the content is more than text; `content` then holds the text alone.
  content_parts jsonb,
  reasoning_content text,
  tool_call_ref bigint,
  tool_call_id text,
  tool_calls_raw jsonb,
  provider_extras jsonb,
  metadata jsonb not null default '{}' check (jsonb_typeof(metadata) = 'object'),
  tokens_prompt integer,
  tokens_completion integer,
  tokens_total integer,
  tokens_prompt_cached integer,
  tokens_reasoning integer,
  tps double precision,
  ttft double precision,
  duration_thinking double precision,
  duration_generation double precision,
  cost numeric(15, 10) not null default 0,
  cost_known boolean not null default true,
  error_message text,
  hooked_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  unique (loop_id, seq),
  unique (loop_id, key),
  constraint messages_pending_is_user check (status <> 'pending' or role = 'user'),
  constraint messages_visible_has_place check (is_hidden or seq is not null),
  constraint messages_tool_has_call check ((role = 'tool') = (tool_call_ref is not null)),
  -- A shell is hidden until its commit (R33).
  constraint messages_shell_hidden check (not (role = 'assistant' and status = 'processing' and not is_hidden))
);
-- One committed answer a turn, whatever the code does (R37).
create unique index messages_one_answer on solid_loop.messages (loop_id, turn_number) where role = 'assistant' and status = 'success';
-- One tool message for each call, ever (R55).
create unique index messages_one_result on solid_loop.messages (tool_call_ref) where tool_call_ref is not null;
-- Serves: delivery of steering at a claim, the look at pending messages at a commit (R38).
create index messages_pending on solid_loop.messages (loop_id, id) where status = 'pending';
-- Serves: failing the shells of a loop, and its triggering messages with it.
create index messages_processing on solid_loop.messages (loop_id) where status = 'processing';
-- Serves: the triggering messages of a turn, at its commit (R37).
create index messages_triggering on solid_loop.messages (loop_id, turn_number) where role = 'user';
-- Serves: hooks that were not run (R47).
create index messages_unhooked on solid_loop.messages (loop_id) where hooked_at is null and not is_hidden;

create table solid_loop.mcp_sessions (
  id bigint generated always as identity primary key,
  loop_id bigint not null references solid_loop.loops (id) on delete cascade,
  mcp_name text not null,
  session_id text,
  protocol_version text,
  metadata jsonb not null default '{}',
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  unique (loop_id, mcp_name)
);

create table solid_loop.mcp_tools (
  id bigint generated always as identity primary key,
  mcp_session_id bigint not null references solid_loop.mcp_sessions (id) on delete cascade,
  name text not null,
  description text,
  input_schema jsonb not null default '{}',
  schema_hash text not null,
  created_at timestamptz not null default clock_timestamp(),
  unique (mcp_session_id, name)
);

create table solid_loop.tool_calls (
  id bigint generated always as identity primary key,
  -- The idempotency key is made of it (R53).
  key uuid not null unique default gen_random_uuid(),
  loop_id bigint not null references solid_loop.loops (id) on delete cascade,
  message_id bigint not null references solid_loop.messages (id) on delete cascade,
  position integer not null check (position >= 0),
  tool_call_id text not null,
  function_name text not null,
  arguments jsonb not null default '{}',
  arguments_raw text not null default '',
  rejected boolean not null default false,
  -- Its tool message is written. Kept by the trigger below: the unresolved calls of a long loop are found without reading the others.
  is_answered boolean not null default false,
  mcp_session_id bigint references solid_loop.mcp_sessions (id) on delete set null,
  effect solid_loop.tool_effect not null default 'unsafe',
  generation bigint,
  claim_number bigint not null default 0,
  attempt_scheduled_ms bigint not null default 0,
  lease_expires_at timestamptz,
  renewed_at timestamptz,
  started_at timestamptz,
  started_claim bigint,
  -- Attempts that held the call and never reported (R46).
  lost_attempts integer not null default 0 check (lost_attempts >= 0),
  executed_at timestamptz,
  is_success boolean,
  result text,
  error_message text,
  duration double precision,
  unknown_since timestamptz,
  metadata jsonb not null default '{}',
  forked_from bigint references solid_loop.tool_calls (id) on delete set null,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  unique (message_id, position),
  constraint tool_calls_executed_has_outcome check (executed_at is null or is_success is not null),
  constraint tool_calls_started_by_claim check ((started_at is null) = (started_claim is null))
);
-- Serves: the calls of a loop, in order.
create index tool_calls_loop on solid_loop.tool_calls (loop_id, message_id, position);
-- Serves: the unresolved calls of a loop, in order (R25).
create index tool_calls_unresolved on solid_loop.tool_calls (loop_id, message_id, position) where not is_answered;

alter table solid_loop.messages
  add constraint messages_tool_call_ref foreign key (tool_call_ref) references solid_loop.tool_calls (id) on delete cascade deferrable initially immediate;

create function solid_loop.mark_call_answered() returns trigger language plpgsql as $$
begin
  update solid_loop.tool_calls set is_answered = true where id = new.tool_call_ref and not is_answered;
  return null;
end
$$;
-- Whoever writes a tool message, the call is answered.
create trigger messages_mark_call_answered after insert on solid_loop.messages
  for each row when (new.tool_call_ref is not null) execute function solid_loop.mark_call_answered();

-- Each serialised message of a request is stored once, by its hash.
create table solid_loop.wire_messages (
  hash bytea primary key,
  body text not null,
  created_at timestamptz not null default clock_timestamp()
);

-- The wire log and the log of control (R43, R69).
create table solid_loop.events (
  id bigint generated always as identity primary key,
  loop_id bigint not null references solid_loop.loops (id) on delete cascade,
  turn_number integer,
  message_id bigint references solid_loop.messages (id) on delete set null,
  tool_call_id bigint references solid_loop.tool_calls (id) on delete set null,
  kind text not null check (kind <> ''),
  name text,
  method text,
  url text,
  -- Parameters of the request; its messages are hashes, as a difference to those of a base event.
  -- json, not jsonb: the text stays as it was sent, to the byte, and may hold \u0000 and halves of surrogate pairs.
  request json,
  base_event_id bigint,
  base_length integer,
  message_hashes bytea[],
  response json,
  status integer,
  headers jsonb,
  error text,
  duration double precision,
  created_at timestamptz not null default clock_timestamp(),
  completed_at timestamptz
);
-- Serves: the log of a loop, newest last; the last wire event of a loop as a base.
create index events_loop on solid_loop.events (loop_id, id);
-- Serves: retention by age.
create index events_created on solid_loop.events (created_at);

-- What a stream shows while it runs. Not logged: a crash empties it and the transcript still has the truth.
create unlogged table solid_loop.live_parts (
  loop_id bigint not null,
  generation bigint not null,
  "offset" integer not null,
  -- json, not jsonb: a delta may hold \u0000 or half of a surrogate pair.
  parts json not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (loop_id, generation, "offset")
);
-- Serves: the sweep of old parts.
create index live_parts_created on solid_loop.live_parts (created_at);

-- Each control request with its effect and answer, in one transaction (R74).
create table solid_loop.control_requests (
  loop_id bigint not null references solid_loop.loops (id) on delete cascade,
  key text not null check (char_length(key) between 1 and 255),
  verb text not null,
  requested_by text,
  answer jsonb not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (loop_id, key)
);

create table solid_loop.reconciler_runs (
  id bigint generated always as identity primary key,
  started_at timestamptz not null default clock_timestamp(),
  finished_at timestamptz,
  counts jsonb not null default '{}',
  error text
);

-- Requests and tokens of the running minute, by model key, over all workers.
create table solid_loop.rate_windows (
  model_key text not null,
  window_start timestamptz not null,
  requests integer not null default 0,
  tokens bigint not null default 0,
  primary key (model_key, window_start)
);

-- The stable contract for people who join: the visible transcript, and the answers.
create view solid_loop.transcript as
  select m.loop_id, m.seq, m.id as message_id, m.turn_number, m.role, m.content, m.reasoning_content,
    (select jsonb_agg(jsonb_build_object('id', c.id, 'name', c.function_name, 'arguments', c.arguments) order by c.position)
      from solid_loop.tool_calls c where c.message_id = m.id) as tool_calls,
    m.tool_call_ref as answers_call, m.status, m.created_at
  from solid_loop.messages m
  where not m.is_hidden and m.status in ('processing', 'success', 'failed')
  order by m.loop_id, m.seq;

create view solid_loop.answers as
  select l.id as loop_id, l.workflow_id, l.agent_name, l.status, l.subject_type, l.subject_id, last.content as answer, last.id as message_id, l.cost, l.tokens_total, l.updated_at
  from solid_loop.loops l
  left join lateral (
    select m.id, m.content from solid_loop.messages m
    where m.loop_id = l.id and m.role = 'assistant' and m.status = 'success' and not m.is_hidden
    order by m.seq desc limit 1
  ) last on true;
