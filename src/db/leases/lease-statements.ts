/** The two statements of the lease renewer: one renews every lease of a process, the other says which fences still hold. */

import type { ArmedLease } from './lease-registration';

type Query = <Row>(text: string, values: readonly unknown[]) => Promise<readonly Row[]>;

const LEASES = `lease as (
  select * from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::float8[])
    with ordinality as lease (loop_id, generation, call_id, claim_number, seconds, position)
)`;

/** Rows that another transaction holds are being committed or paused: they are skipped, never waited for (R14). */
const RENEW = `with ${LEASES}, due_turn as (
  select loops.id, lease.seconds, lease.position
  from lease join solid_loop.loops loops on loops.id = lease.loop_id and loops.generation = lease.generation
  where lease.call_id is null and loops.status = 'running' and loops.lease_expires_at is not null
  order by loops.id for no key update of loops skip locked
), turn as (
  update solid_loop.loops loops
  set lease_expires_at = clock_timestamp() + make_interval(secs => due_turn.seconds), renewed_at = clock_timestamp()
  from due_turn where loops.id = due_turn.id returning due_turn.position
), due_call as (
  select calls.id, lease.seconds, lease.position
  from lease join solid_loop.tool_calls calls on calls.id = lease.call_id and calls.claim_number = lease.claim_number
  where calls.lease_expires_at is not null
  order by calls.id for no key update of calls skip locked
), call as (
  update solid_loop.tool_calls calls
  set lease_expires_at = clock_timestamp() + make_interval(secs => due_call.seconds), renewed_at = clock_timestamp()
  from due_call where calls.id = due_call.id returning due_call.position
)
select position::integer from turn union all select position::integer from call`;

const READ_FENCES = `with ${LEASES}
select lease.position::integer,
  coalesce(loops.status = 'running' and loops.generation = lease.generation, false) as "holdsLoop",
  lease.call_id is null or coalesce(calls.claim_number = lease.claim_number, false) as "holdsCall",
  extract(epoch from case when lease.call_id is null then loops.lease_expires_at else calls.lease_expires_at end - clock_timestamp())::float8 as "secondsLeft"
from lease
left join solid_loop.loops loops on loops.id = lease.loop_id
left join solid_loop.tool_calls calls on calls.id = lease.call_id`;

/** Answers the indexes of those whose lease was renewed (R15). */
export async function renewLeases(query: Query, leases: readonly ArmedLease[]): Promise<ReadonlySet<number>> {
  const rows = await query<{ position: number }>(RENEW, toColumns(leases));
  return new Set(rows.map((row) => row.position - 1));
}

export interface FenceReading {
  /** The loop is `running` under the generation. */
  readonly holdsLoop: boolean;
  /** The claim number is current; true for a turn. */
  readonly holdsCall: boolean;
  /** Null: the lease was cleared. */
  readonly secondsLeft: number | null;
}

/** Answers one reading a lease, in the order given. Takes no locks. */
export async function readFences(query: Query, leases: readonly ArmedLease[]): Promise<readonly FenceReading[]> {
  const rows = await query<FenceReading & { position: number }>(READ_FENCES, toColumns(leases));
  return rows.toSorted((a, b) => a.position - b.position);
}

function toColumns(leases: readonly ArmedLease[]): readonly unknown[] {
  return [
    leases.map((lease) => lease.loopId),
    leases.map((lease) => lease.generation),
    leases.map((lease) => lease.callId),
    leases.map((lease) => lease.claimNumber),
    leases.map((lease) => lease.leaseSeconds),
  ];
}
