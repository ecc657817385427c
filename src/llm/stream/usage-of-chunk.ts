/** Where a chunk may hold the token counts (P110, P112). */

import { isRecord, type UnknownRecord } from './json-values';

export interface FoundUsage {
  readonly usage: UnknownRecord;
  /** Counts at the top of the chunk win over counts elsewhere in the response. */
  readonly isTopLevel: boolean;
}

export function usageOfChunk(chunk: UnknownRecord, choice: UnknownRecord | undefined): FoundUsage | undefined {
  if (isFilled(chunk.usage)) return { usage: chunk.usage, isTopLevel: true };
  if (isFilled(choice?.usage)) return { usage: choice.usage, isTopLevel: false };
  const groq = chunk.x_groq;
  return isRecord(groq) && isFilled(groq.usage) ? { usage: groq.usage, isTopLevel: false } : undefined;
}

function isFilled(value: unknown): value is UnknownRecord {
  return isRecord(value) && Object.keys(value).length > 0;
}
