/** What the tools of a test really did: a file that each side effect appends a line to, whichever process it happens in. */

import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { ToolEffect } from '../../domain/tool-call';

/** One side effect that took place. */
export interface LedgerEntry {
  /** The idempotency key that the tool was given. */
  readonly key: string;
  readonly tool: string;
  readonly effect: ToolEffect;
}

export interface Ledger {
  /** In one write: a process that dies has written all of it or nothing. */
  readonly append: (entry: LedgerEntry) => void;
  readonly read: () => readonly LedgerEntry[];
}

/** @param path a file; it is made with the first entry */
export function openLedger(path: string): Ledger {
  return {
    append: (entry) => appendFileSync(path, `${JSON.stringify(entry)}\n`),
    read: () => (existsSync(path) ? toEntries(readFileSync(path, 'utf8')) : []),
  };
}

function toEntries(text: string): readonly LedgerEntry[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as LedgerEntry);
}
