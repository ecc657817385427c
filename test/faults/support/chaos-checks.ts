/** What only this project's own agents and model let be checked: that Temporal and the model saw what the tables say. */

import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database } from '../../../src/db/database';
import type { Violation } from '../../../src/testing/faults/check-invariants';
import type { LedgerEntry } from '../../../src/testing/faults/ledger';
import type { JournalEntry } from '../../../src/testing/script';
import type { TakenSignal } from './chaos-controls';
import type { TemporalOperator } from './temporal-operator';

interface Line {
  readonly role: string;
  readonly content: string;
}

interface LoopLines {
  readonly loopId: string;
  readonly lines: readonly Line[];
}

/** Each answer of a transcript was asked for with exactly the messages that stand before it: none missing, none twice, in order. */
export async function findUnaskedAnswers(db: Database, journal: readonly JournalEntry[]): Promise<readonly Violation[]> {
  const asked = new Set(journal.map(({ body }) => textOf(toLines(body))));
  const loops = await readTranscripts(db);
  return loops.flatMap(({ loopId, lines }) =>
    lines
      .map(({ role }, index) => (role === 'assistant' ? lines.slice(0, index) : []))
      .filter((before) => before.length > 0 && !asked.has(textOf(before)))
      .map((before) => ({ id: 'answers-were-asked', loopId, detail: `nobody asked the model with ${textOf(before)}` })),
  );
}

/** Nothing but a whole answer of the model becomes one of the transcript. */
export async function findPartialAnswers(db: Database, whole: readonly string[]): Promise<readonly Violation[]> {
  const loops = await readTranscripts(db);
  return loops.flatMap(({ loopId, lines }) =>
    lines
      .filter(({ role, content }) => role === 'assistant' && content !== '' && !whole.includes(content))
      .map(({ content }) => ({ id: 'answers-are-whole', loopId, detail: `"${content}" is no answer of the model` })),
  );
}

/** What Temporal took came to the tables, under its key. */
export async function findLostSignals(db: Database, taken: readonly TakenSignal[]): Promise<readonly Violation[]> {
  const { rows } = await sql<{ name: string }>`select loop_id || ' ' || key as name from solid_loop.control_requests`.execute(db);
  const known = new Set(rows.map(({ name }) => name));
  return taken
    .filter(({ loopId, key }) => !known.has(`${loopId} ${key}`))
    .map(({ loopId, key }) => ({
      id: 'signals-arrive',
      loopId,
      detail: `Temporal took the signal ${key}, and the tables have no such request`,
    }));
}

const POLL_MS = 50;
const CLOSING_LIMIT_MS = 60_000;

/** What the hook of an agent's first answers sent came to the tables too: a hook that ran is not asked again. */
export async function findLostHookMessages(db: Database, agent: string): Promise<readonly Violation[]> {
  const { rows } = await sql<{ loop_id: string; id: string }>`
    select m.loop_id, m.id from solid_loop.messages m join solid_loop.loops l on l.id = m.loop_id
    where l.agent_name = ${agent} and m.role = 'assistant' and m.turn_number = 1 and m.hooked_at is not null
      and not exists (select from solid_loop.control_requests r where r.loop_id = m.loop_id and r.key = 'hook-' || m.id)`.execute(db);
  return rows.map(({ loop_id: loopId, id }) => ({
    id: 'hooks-are-heard',
    loopId,
    detail: `the hook of message ${id} has run, and what it sent is nowhere`,
  }));
}

/**
 * An ended loop's workflow ends too, in the same way: with Temporal's word for it, within a minute. One that an operator terminated may stay
 * so: the step that was in flight has ended its loop meanwhile, and nothing is left to drive.
 */
export async function findOpenWorkflows(
  db: Database,
  operator: Pick<TemporalOperator, 'statusOf'>,
  terminated: ReadonlySet<string>,
): Promise<readonly Violation[]> {
  const { rows } = await sql<{ id: string; workflow_id: string; status: string }>`
    select id, workflow_id, status from solid_loop.loops where status in ('completed', 'failed', 'cancelled')`.execute(db);
  const violations: Violation[] = [];
  const deadline = Date.now() + CLOSING_LIMIT_MS;
  for (const { id: loopId, workflow_id: workflowId, status } of rows) {
    let seen = await operator.statusOf(workflowId);
    while (seen === 'RUNNING' && Date.now() < deadline) {
      await delay(POLL_MS);
      seen = await operator.statusOf(workflowId);
    }
    if (seen === status.toUpperCase() || (seen === 'TERMINATED' && terminated.has(loopId))) continue;
    violations.push({ id: 'workflows-end', loopId, detail: `the loop is ${status}, its workflow ${workflowId} is ${seen}` });
  }
  return violations;
}

/** Each end of an agent's loops was told, under its key. */
export async function findUntoldEnds(db: Database, agent: string, told: readonly LedgerEntry[]): Promise<readonly Violation[]> {
  const { rows } = await sql<{ id: string; key: string }>`
    select id, id || '-' || generation as key from solid_loop.loops
    where agent_name = ${agent} and status in ('completed', 'failed', 'cancelled')`.execute(db);
  const keys = new Set(told.map(({ key }) => key));
  return rows
    .filter(({ key }) => !keys.has(key))
    .map(({ id: loopId, key }) => ({ id: 'ends-are-told', loopId, detail: `the end ${key} was told to nobody` }));
}

async function readTranscripts(db: Database): Promise<readonly LoopLines[]> {
  const { rows } = await sql<{ loop_id: string; lines: readonly Line[] }>`
    select loop_id, jsonb_agg(jsonb_build_object('role', role, 'content', coalesce(content, '')) order by seq) as lines
    from solid_loop.messages where not is_hidden group by loop_id`.execute(db);
  return rows.map(({ loop_id: loopId, lines }) => ({ loopId, lines }));
}

function toLines(body: unknown): readonly Line[] {
  const { messages = [] } = body as { readonly messages?: readonly { readonly role: string; readonly content?: string | null }[] };
  return messages.map(({ role, content }) => ({ role, content: content ?? '' }));
}

/** A request has results in the order of the calls, and neighbours of one role as one message; the transcript has them as they came. */
function textOf(lines: readonly Line[]): string {
  const groups: { readonly role: string; readonly contents: string[] }[] = [];
  for (const { role, content } of lines) {
    const last = groups.at(-1);
    if (last?.role === role && role !== 'assistant') last.contents.push(content);
    else groups.push({ role, contents: [content] });
  }
  const joined = (role: string, contents: readonly string[]): string => (role === 'tool' ? contents.toSorted() : contents).join('\n\n');
  return groups.map(({ role, contents }) => `${role}: ${joined(role, contents)}`).join(' | ');
}
