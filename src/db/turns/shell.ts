/** The shell of a streaming turn: what has arrived so far, kept for audit and for whoever watches (R33). */

import type { Generation, LoopId, MessageId } from '../../domain/ids';
import { cleanText } from '../postgres/clean-text';
import type { Database } from '../database';
import { namingUnavailable } from '../transaction';

export interface ShellText {
  readonly loopId: LoopId;
  readonly generation: Generation;
  readonly shellId: MessageId;
  readonly content: string;
  readonly reasoning: string;
}

/**
 * Whether it was written. A shell that was committed or failed meanwhile is left as it is: only `processing` matches.
 * @throws DatabaseUnavailable
 */
export async function updateShell(db: Database, shell: ShellText): Promise<boolean> {
  const result = await namingUnavailable(() =>
    db
      .updateTable('messages')
      .set({ content: cleanText(shell.content), reasoning_content: cleanText(shell.reasoning) })
      .where('id', '=', shell.shellId)
      .where('loop_id', '=', shell.loopId)
      .where('generation', '=', shell.generation)
      .where('status', '=', 'processing')
      .executeTakeFirst(),
  );
  return result.numUpdatedRows === 1n;
}
