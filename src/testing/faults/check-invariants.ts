/** Says what is wrong after faults: reads only the tables, the tools' own ledger and the requests that a provider got. */

import { Client } from 'pg';
import type { LoopStatus } from '../../domain/loop';
import { idempotencyKeyOf, NOT_RUN_TEXT, type ToolEffect } from '../../domain/tool-call';
import type { Ledger, LedgerEntry } from './ledger';
import { findRequestFaults } from './request-faults';
import { TABLE_INVARIANTS } from './table-invariants';

export interface Violation {
  /** Which invariant is broken. */
  readonly id: string;
  /** Null where it is not one loop's. */
  readonly loopId: string | null;
  readonly detail: string;
}

export interface CheckOptions {
  readonly databaseUrl: string;
  /** What the tools did, read after the tables. @default the invariants of side effects are not checked */
  readonly ledger?: Pick<Ledger, 'read'>;
  /** Bodies of the requests that the provider got. @default they are not checked */
  readonly requests?: readonly unknown[];
  /** Where a loop may stand. @default any terminal status: every loop reaches its end with nobody's help */
  readonly ends?: readonly LoopStatus[];
}

const TERMINAL: readonly LoopStatus[] = ['completed', 'failed', 'cancelled'];

/** None for an installation in which all is well. */
export async function checkInvariants({
  databaseUrl,
  ledger,
  requests = [],
  ends = TERMINAL,
}: CheckOptions): Promise<readonly Violation[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return [
      ...(await findTableViolations(client)),
      ...(await findLoopsUnderWay(client, ends)),
      ...(ledger === undefined ? [] : findLedgerViolations(await readCalls(client), ledger.read())),
      ...findRequestViolations(requests),
    ];
  } finally {
    await client.end();
  }
}

async function findTableViolations(client: Client): Promise<readonly Violation[]> {
  const violations: Violation[] = [];
  for (const { id, sql } of TABLE_INVARIANTS) {
    const { rows } = await client.query<{ readonly loop_id: string; readonly detail: string }>(sql);
    violations.push(...rows.map(({ loop_id: loopId, detail }) => ({ id, loopId, detail })));
  }
  return violations;
}

async function findLoopsUnderWay(client: Client, ends: readonly LoopStatus[]): Promise<readonly Violation[]> {
  const { rows } = await client.query<{ readonly id: string; readonly status: string; readonly error: string | null }>(
    `select id, status, concat_ws(': ', error_code, error_message) as error from solid_loop.loops where not (status = any ($1::solid_loop.loop_status[]))`,
    [ends],
  );
  return rows.map(({ id, status, error }) => ({ id: 'every-loop-ends', loopId: id, detail: `it is ${status} ${error ?? ''}`.trim() }));
}

/** A call as far as its side effects go. */
export interface EffectCall {
  readonly loopId: string;
  readonly key: string;
  readonly name: string;
  readonly effect: ToolEffect;
  /** Its checkpoint says that the body succeeded. */
  readonly isDone: boolean;
  /** The model was told that the call was not run. */
  readonly isToldNotRun: boolean;
}

async function readCalls(client: Client): Promise<readonly EffectCall[]> {
  const { rows } = await client.query<{
    readonly loop_id: string;
    readonly key: string;
    readonly name: string;
    readonly effect: ToolEffect;
    readonly done: boolean;
    readonly told_not_run: boolean;
  }>(
    `select c.loop_id, c.key, c.function_name as name, c.effect, c.executed_at is not null and c.is_success as done,
      exists (select from solid_loop.messages m where m.tool_call_ref = c.id and m.content = $1) as told_not_run
    from solid_loop.tool_calls c where not c.rejected`,
    [NOT_RUN_TEXT],
  );
  return rows.map(({ loop_id: loopId, key, name, effect, done: isDone, told_not_run: isToldNotRun }) => ({
    loopId,
    key: idempotencyKeyOf(key),
    name,
    effect,
    isDone,
    isToldNotRun,
  }));
}

/** `unsafe` at most once; `idempotent` under one key; nothing done without a row, nothing recorded that was not done, nor denied that was. */
export function findLedgerViolations(calls: readonly EffectCall[], ledger: readonly LedgerEntry[]): readonly Violation[] {
  const times = new Map<string, number>();
  for (const { key } of ledger) times.set(key, (times.get(key) ?? 0) + 1);
  const tools = new Set(ledger.map(({ tool }) => tool));
  const known = new Map(calls.map((call) => [call.key, call]));
  const violations: Violation[] = [];
  for (const key of times.keys())
    if (!known.has(key))
      violations.push({ id: 'effects-have-a-call', loopId: null, detail: `a tool acted under ${key}, and no call has that key` });
  for (const { loopId, key, name, effect, isDone, isToldNotRun } of calls) {
    const count = times.get(key) ?? 0;
    if (effect === 'unsafe' && count > 1)
      violations.push({ id: 'unsafe-at-most-once', loopId, detail: `${name} acted ${count} times under ${key}` });
    if (isToldNotRun && effect !== 'read' && count > 0)
      violations.push({ id: 'not-run-is-true', loopId, detail: `${name} acted under ${key}, and the model was told that it was not run` });
    if (isDone && count === 0 && tools.has(name))
      violations.push({ id: 'checkpoints-are-true', loopId, detail: `${name} is recorded as done under ${key}, and did nothing` });
  }
  return violations;
}

function findRequestViolations(requests: readonly unknown[]): readonly Violation[] {
  return requests.flatMap((body, index) =>
    findRequestFaults(body).map((fault) => ({ id: 'requests-are-valid', loopId: null, detail: `request ${index + 1}: ${fault}` })),
  );
}
