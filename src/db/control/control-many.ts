/** Any verb over all loops of an agent, a subject, some statuses: counts first (kill switch). */

import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import type { KeyedControlRequest } from '../../domain/control';
import { invalidInput } from '../../domain/input-checks';
import { type LoopId, toId } from '../../domain/ids';
import { LOOP_STATUSES, type LoopStatus, type Subject } from '../../domain/loop';
import { parseControlRequest } from '../../domain/parse-control-request';
import { decideControl } from '../../domain/verb-table';
import { CONTROL_STATES } from '../../domain/verb-table-rows';
import type { Database } from '../database';
import type { DB } from '../tables/generated';
import { namingUnavailable } from '../transaction';
import { controlLoop, type ControlOutcome } from './control-loop';

const BATCH_SIZE = 100;

/** All that are given must match. At least one is given. */
export interface LoopSelection {
  readonly agent?: string;
  readonly subject?: Subject;
  /** @default every status in which the verb does something */
  readonly status?: readonly LoopStatus[];
}

export interface ControlManyOptions {
  /** Counts only: nothing is written. */
  readonly dryRun: boolean;
  /** Called after each loop's transaction: wake its workflow here. Whatever it throws ends the run; a repeat with the same key goes on. */
  readonly onOutcome?: (outcome: ControlOutcome) => void | Promise<void>;
}

export interface ControlManyReport {
  /** Loops selected, by status, before anything was done. */
  readonly selected: Partial<Readonly<Record<LoopStatus, number>>>;
  /** Loops by what the verb did: an effect, or the code of a refusal. Empty in a dry run. */
  readonly results: Readonly<Record<string, number>>;
}

/**
 * One transaction a loop, in order of id. The request's key is the same for each: unique is the pair of loop and key.
 * @throws InvalidInput for an empty selection or a request that cannot be read; DatabaseUnavailable
 */
export async function controlMany(
  db: Database,
  selection: LoopSelection,
  request: KeyedControlRequest,
  { dryRun, onOutcome }: ControlManyOptions,
): Promise<ControlManyReport> {
  const parsed = parseControlRequest(request);
  assertSelects(selection);
  const filter = { ...selection, status: selection.status ?? statusesOf(parsed) };
  const selected = await countSelected(db, filter);
  const results: Record<string, number> = {};
  if (dryRun) return { selected, results };
  for await (const loopId of selectIds(db, filter)) {
    const outcome = await controlLoop(db, loopId, parsed);
    const result = outcome.answer.ok ? outcome.answer.effect : outcome.answer.code;
    results[result] = (results[result] ?? 0) + 1;
    await onOutcome?.(outcome);
  }
  return { selected, results };
}

/** "Every loop there is" must be said by naming the statuses. */
function assertSelects({ agent, subject, status }: LoopSelection): void {
  if (agent === undefined && subject === undefined && status === undefined) {
    throw invalidInput('selection', 'is empty; give an agent, a subject or the statuses, so that not every loop is meant by mistake');
  }
}

function statusesOf(request: KeyedControlRequest): readonly LoopStatus[] {
  return LOOP_STATUSES.filter((status) =>
    CONTROL_STATES.some(({ facts }) => facts.status === status && decideControl(request, facts).kind === 'apply'),
  );
}

type FullSelection = LoopSelection & { readonly status: readonly LoopStatus[] };

const matches =
  ({ agent, subject, status }: FullSelection) =>
  (where: ExpressionBuilder<DB, 'loops'>): Expression<SqlBool> =>
    where.and([
      where('status', 'in', [...status]),
      ...(agent === undefined ? [] : [where('agent_name', '=', agent)]),
      ...(subject === undefined ? [] : [where('subject_type', '=', subject.type), where('subject_id', '=', subject.id)]),
    ]);

async function countSelected(db: Database, selection: FullSelection): Promise<Partial<Record<LoopStatus, number>>> {
  const rows = await namingUnavailable(() =>
    db
      .selectFrom('loops')
      .select((query) => ['status', query.fn.countAll<string>().as('count')])
      .where(matches(selection))
      .groupBy('status')
      .execute(),
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)]));
}

/** In order of id; a loop that is made meanwhile is reached too. */
async function* selectIds(db: Database, selection: FullSelection): AsyncGenerator<LoopId> {
  let after = '0';
  for (;;) {
    const page = db.selectFrom('loops').select('id').where(matches(selection)).where('id', '>', after).orderBy('id').limit(BATCH_SIZE);
    const rows = await namingUnavailable(() => page.execute());
    for (const { id } of rows) yield toId<LoopId>(id);
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}
