/** Decides which old turns leave the model's view where the transcript nears its window. */

import type { ContextStrategy } from '../../agents/agent';
import type { TranscriptMessage } from '../../domain/message';
import { charsOf } from './context-view';

const DEFAULT_KEEP_TURNS = 4;
/** After a cut so much of what the strategy allows is used: cutting a little each turn would spoil the provider's cache each turn. */
const SHARE_AFTER_CUT = 0.5;

export interface NarrowOptions {
  readonly strategy: ContextStrategy;
  /** Tokens of the transcript as it is seen now, and those that are to be left at most before a cut is made. */
  readonly tokens: number;
  readonly allowed: number;
}

/** `seen`: the transcript in its present view. The first seq of the new view; undefined where nothing can be left out. */
export function narrowView(seen: readonly TranscriptMessage[], { strategy, tokens, allowed }: NarrowOptions): number | undefined {
  const turns = turnStarts(seen);
  const mostDropped = turns.length - (strategy.keepTurns ?? DEFAULT_KEEP_TURNS);
  if (mostDropped < 1) return undefined;
  const chars = seen.map(charsOf);
  const tokensOfAChar = tokens / Math.max(1, sum(chars));
  const enough = allowed * SHARE_AFTER_CUT;
  const cut = turns.slice(1, mostDropped + 1).find((start) => sum(chars.slice(start)) * tokensOfAChar <= enough) ?? turns[mostDropped];
  return cut === undefined ? undefined : (seen[cut]?.seq ?? undefined);
}

/** A turn begins with the user messages right before its answer. Never inside a group of calls and results. */
function turnStarts(seen: readonly TranscriptMessage[]): readonly number[] {
  return seen.flatMap((message, index) => {
    if (message.role !== 'assistant' || message.seq === null) return [];
    let start = index;
    while (seen[start - 1]?.role === 'user' && seen[start - 1]?.seq !== null) start -= 1;
    return [start];
  });
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
