/** Rows of `control_requests`: each request with its answer, so that a repeat is answered and not done again (R74). */

import type { ControlAnswer } from '../../domain/control';
import type { LoopId } from '../../domain/ids';
import type { JsonObject } from '../../domain/loop';
import { cleanTextOrNull } from '../postgres/clean-text';
import type { DatabaseTransaction } from '../database';
import { toJsonb } from '../postgres/jsonb';
import { insertEvent } from '../repositories/events.repository';
import type { ControlInput } from './control-loop';

/** Of an input that cannot be read, no more than this is kept in the event. */
const UNREADABLE_LIMIT_CHARS = 2_000;

export async function findStoredAnswer(trx: DatabaseTransaction, loopId: LoopId, key: string): Promise<ControlAnswer | undefined> {
  const row = await trx
    .selectFrom('control_requests')
    .select('answer')
    .where('loop_id', '=', loopId)
    .where('key', '=', key)
    .executeTakeFirst();
  return row && (row.answer as unknown as ControlAnswer);
}

export interface AnsweredControl {
  readonly loopId: LoopId;
  /** Undefined where the input has none that can be stored: then there is an event only. */
  readonly key: string | undefined;
  readonly input: ControlInput;
  readonly answer: ControlAnswer;
}

/** Refusals too. The event is what `show` and the page tell people (R69). */
export async function storeAnswer(trx: DatabaseTransaction, { loopId, key, input, answer }: AnsweredControl): Promise<void> {
  if (key !== undefined) {
    const requestedBy = typeof input.by === 'string' ? cleanTextOrNull(input.by) : null;
    await trx
      .insertInto('control_requests')
      .values({ loop_id: loopId, key, verb: answer.verb, requested_by: requestedBy, answer: toJsonb(answer) })
      .execute();
  }
  await insertEvent(trx, {
    loopId,
    kind: 'control',
    name: answer.verb,
    request: toKept(input),
    response: { ...answer },
    ...(answer.ok ? {} : { error: `${answer.code}: ${answer.message}` }),
  });
}

function toKept(input: ControlInput): JsonObject {
  const text = JSON.stringify(input);
  const isShort = text.length <= UNREADABLE_LIMIT_CHARS;
  return isShort ? { ...(input as JsonObject) } : { verb: String(input.verb), cut: text.slice(0, UNREADABLE_LIMIT_CHARS) };
}
