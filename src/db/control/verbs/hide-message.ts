/** `hideMessage`, `showMessage`: kept from the model and shown to it again; people see it always (R65). */

import { sql } from 'kysely';
import { type LockedMessage, lockMessage } from '../lock-message';
import { changed, refused, type RequestOf, type VerbContext, type VerbOutcome } from '../verb-outcome';

export async function hideMessage(
  context: VerbContext,
  { verb, messageId }: RequestOf<'hideMessage' | 'showMessage'>,
): Promise<VerbOutcome> {
  const { trx, locked } = context;
  const message = await lockMessage(trx, locked.loop.id, messageId);
  if (message === undefined)
    return refused('InvalidInput', `loop ${locked.loop.id} has no message ${messageId}; its transcript shows the ids`);
  if (!isCanonical(message))
    return refused(
      'InvalidInput',
      `message ${messageId} is no part of the transcript: it waits, was withdrawn, or is the text of an attempt that ended`,
    );
  const group = await findGroup(context, message);
  if (group.isOpen)
    return refused('InvalidInput', `message ${messageId} belongs to calls that are not answered yet; ${verb} works when they are`);
  const isHidden = verb === 'hideMessage';
  if (message.is_hidden === isHidden) return changed({ ...context, effect: 'unchanged' }, messageId);
  await trx
    .updateTable('messages')
    .set({ is_hidden: isHidden, updated_at: sql`clock_timestamp()` })
    .where('id', 'in', [...group.ids])
    .execute();
  return changed(context, messageId);
}

/** The partial text of a failed attempt never becomes visible (R33). */
function isCanonical({ seq, role, status }: LockedMessage): boolean {
  return seq !== null && (role === 'assistant' ? status === 'success' : status !== 'pending');
}

/** An assistant message with its calls' tool messages: a provider refuses the one without the others. */
async function findGroup(
  { trx, locked }: VerbContext,
  message: LockedMessage,
): Promise<{ readonly ids: readonly string[]; readonly isOpen: boolean }> {
  const { rows } = await sql<{ assistant_id: string; answer_id: string | null }>`
    select c.message_id as assistant_id, answer.id as answer_id
    from solid_loop.tool_calls c left join solid_loop.messages answer on answer.tool_call_ref = c.id
    where c.loop_id = ${locked.loop.id} and c.message_id = coalesce(
      (select message_id from solid_loop.tool_calls where id = ${message.tool_call_ref}), ${message.id}::bigint)`.execute(trx);
  const ids = rows.flatMap(({ assistant_id, answer_id }) => (answer_id === null ? [assistant_id] : [assistant_id, answer_id]));
  return { ids: [...new Set([message.id, ...ids])], isOpen: rows.some(({ answer_id }) => answer_id === null) };
}
