/** Where a chunk may hold the token counts (P110, P112). */

import { isRecord, type UnknownRecord } from './json-values';

export interface FoundUsage {
  readonly usage: UnknownRecord;
  /** Counts at the top of the chunk win over counts elsewhere in the response. */
  readonly isTopLevel: boolean;
}

export function usageOfChunk(chunk: UnknownRecord, choice: UnknownRecord | undefined): FoundUsage | undefined {
  const top = chunk.usage;
  if (isFilled(top)) return { usage: top, isTopLevel: true };
  const elsewhere = [choice?.usage, isRecord(chunk.x_groq) ? chunk.x_groq.usage : undefined].find(isFilled);
  return elsewhere === undefined ? undefined : { usage: elsewhere, isTopLevel: false };
}

function isFilled(value: unknown): value is UnknownRecord {
  return isRecord(value) && Object.keys(value).length > 0;
}
