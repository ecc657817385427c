/** Rows of the wire log (R43): a request is its parameters and the hashes of its messages, as a difference to those of an earlier event. */

import { sql } from 'kysely';
import { SolidLoopError } from '../../domain/errors';
import { type EventId, type LoopId, type MessageId, type ToolCallId, toId } from '../../domain/ids';
import type { WireKind } from '../../domain/wire';
import type { Database } from '../database';

/** What a wire event belongs to. */
export interface WirePlace {
  readonly loopId: LoopId;
  readonly turnNumber?: number;
  readonly messageId?: MessageId;
  readonly toolCallId?: ToolCallId;
}

export interface StoredMessage {
  /** sha256 of the body. */
  readonly hash: Buffer;
  /** JSON text. */
  readonly body: string;
}

export interface NewWireEvent extends WirePlace {
  readonly kind: WireKind;
  readonly name: string;
  readonly method: string;
  readonly url: string;
  /** JSON text, the place of the messages left empty. */
  readonly request: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The event whose first `length` messages are this one's too. */
  readonly base?: { readonly eventId: EventId; readonly length: number };
  /** The messages after the base's, in order. */
  readonly messages: readonly StoredMessage[];
}

/** The columns that a finished call adds. `response` is JSON text. */
export interface WireCompletion {
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string>> | null;
  readonly response: string | null;
  readonly error: string | null;
  readonly durationSeconds: number;
}

/** A message that is sent again tells its row so at most this often; pruning leaves rows alone that were told within twice the time. */
const TOUCH_INTERVAL = sql`interval '1 hour'`;

/**
 * One statement: the messages that are new, and the event. Undefined where the base is gone (pruned meanwhile): nothing refers to it then,
 * and the caller writes the event whole. The base's row is locked against pruning until the statement ends.
 */
export async function insertWireEvent(db: Database, event: NewWireEvent): Promise<EventId | undefined> {
  const distinct = distinctByHash(event.messages);
  const hashes = event.messages.map((message) => message.hash);
  const { rows } = await sql<{ id: string }>`
    with base as (
      select id from solid_loop.events where id = ${event.base?.eventId ?? null}::bigint and loop_id = ${event.loopId}::bigint for key share
    ), stored as (
      insert into solid_loop.wire_messages as kept (hash, body)
      select * from unnest(${distinct.map((message) => message.hash)}::bytea[], ${distinct.map((message) => message.body)}::text[])
      on conflict (hash) do update set created_at = clock_timestamp() where kept.created_at < clock_timestamp() - ${TOUCH_INTERVAL}
    )
    insert into solid_loop.events (loop_id, turn_number, message_id, tool_call_id, kind, name, method, url, request, headers, base_event_id, base_length, message_hashes)
    select ${event.loopId}::bigint, ${event.turnNumber ?? null}::integer, ${event.messageId ?? null}::bigint, ${event.toolCallId ?? null}::bigint, ${event.kind}, ${event.name},
      ${event.method}, ${event.url}, ${event.request}::json, ${JSON.stringify({ request: event.headers })}::jsonb,
      ${event.base?.eventId ?? null}::bigint, ${event.base?.length ?? null}::integer, ${event.kind === 'llm-request' ? hashes : null}::bytea[]
    where ${event.base === undefined} or exists (select from base)
    returning id`.execute(db);
  const [row] = rows;
  return row === undefined ? undefined : toId<EventId>(row.id);
}

export async function completeWireEvent(db: Database, eventId: EventId, completion: WireCompletion): Promise<void> {
  await sql`
    update solid_loop.events set
      status = ${completion.status}::integer, response = ${completion.response}::json, error = ${completion.error}, duration = ${completion.durationSeconds}::float8,
      headers = coalesce(headers, '{}') || ${completion.headers === null ? '{}' : JSON.stringify({ response: completion.headers })}::jsonb,
      completed_at = clock_timestamp()
    where id = ${eventId}::bigint`.execute(db);
}

/** The newest request of a loop with all hashes of its messages in order: what the next one is compared to. */
export async function findLastRequest(
  db: Database,
  loopId: LoopId,
): Promise<{ readonly eventId: EventId; readonly hashes: readonly Buffer[] } | undefined> {
  const { rows } = await sql<{ id: string }>`
    select id from solid_loop.events where loop_id = ${loopId}::bigint and message_hashes is not null order by id desc limit 1`.execute(db);
  const [row] = rows;
  if (row === undefined) return undefined;
  const eventId = toId<EventId>(row.id);
  return { eventId, hashes: await readMessageHashes(db, eventId) };
}

/** @throws LoopNotFound where an event of the chain is missing */
export async function readMessageHashes(db: Database, eventId: EventId): Promise<readonly Buffer[]> {
  const { rows } = await sql<{ base_event_id: string | null; base_length: number | null; message_hashes: Buffer[] | null }>`
    with recursive chain as (
      select e.id, e.base_event_id, e.base_length, e.message_hashes, 0 as depth from solid_loop.events e where e.id = ${eventId}::bigint
      union all
      select e.id, e.base_event_id, e.base_length, e.message_hashes, chain.depth + 1 from chain join solid_loop.events e on e.id = chain.base_event_id
    )
    select base_event_id, base_length, message_hashes from chain order by depth desc`.execute(db);
  const [oldest] = rows;
  if (oldest?.base_event_id !== null) {
    throw new SolidLoopError('LoopNotFound', `event ${eventId} of the wire log is not there, or one that it builds on is not`, {
      field: 'event',
    });
  }
  return rows.reduce<readonly Buffer[]>((hashes, link) => [...hashes.slice(0, link.base_length ?? 0), ...(link.message_hashes ?? [])], []);
}

/** The stored texts of hashes, in their order. @throws LoopNotFound where one is missing */
export async function readMessageBodies(db: Database, hashes: readonly Buffer[]): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('wire_messages')
    .select(['hash', 'body'])
    .where(sql<boolean>`hash = any(${hashes}::bytea[])`)
    .execute();
  const bodies = new Map(rows.map((row) => [row.hash.toString('hex'), row.body]));
  return hashes.map((hash) => {
    const body = bodies.get(hash.toString('hex'));
    if (body === undefined)
      throw new SolidLoopError('LoopNotFound', `message ${hash.toString('hex')} of the wire log is not there`, { field: 'message' });
    return body;
  });
}

/** Sorted, so that two statements never wait for each other. */
function distinctByHash(messages: readonly StoredMessage[]): readonly StoredMessage[] {
  const byHash = new Map(messages.map((message) => [message.hash.toString('hex'), message]));
  return [...byHash.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, message]) => message);
}
