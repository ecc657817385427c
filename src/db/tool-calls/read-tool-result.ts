/** Reads the whole result of a call, of which the model may have been shown a part. */

import type { LoopId, ToolCallId } from '../../domain/ids';
import type { Database } from '../database';
import { namingUnavailable } from '../transaction';

/** Only of the loop's own calls. Undefined: there is none, or it has not ended. @throws DatabaseUnavailable */
export async function findToolResult(
  db: Database,
  { loopId, callId }: { readonly loopId: LoopId; readonly callId: ToolCallId },
): Promise<string | undefined> {
  const row = await namingUnavailable(() =>
    db.selectFrom('tool_calls').select('result').where('id', '=', callId).where('loop_id', '=', loopId).executeTakeFirst(),
  );
  return row?.result ?? undefined;
}
