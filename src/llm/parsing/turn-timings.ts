/** From the marks of a stream to the timings of a turn (R35, P116). */

import type { TurnTimings } from '../../domain/usage';
import type { StreamMarks } from '../stream/raw-answer';

/** @param completionTokens of the provider's usage; null where it said nothing */
export function turnTimings(marks: StreamMarks, completionTokens: number | null): TurnTimings {
  const { start, firstToken, firstContent, end } = marks;
  return {
    timeToFirstToken: firstToken === undefined ? null : seconds(start, firstToken),
    thinking: firstToken === undefined || firstContent === undefined ? null : seconds(firstToken, firstContent),
    generation: seconds(start, end),
    tokensPerSecond: completionTokens === null || firstToken === undefined ? null : rate(completionTokens, end - firstToken),
  };
}

function seconds(from: number, to: number): number {
  return Math.max(0, to - from) / 1000;
}

/** An answer that came in one piece shows no rate: 0, and never Infinity. */
function rate(tokens: number, milliseconds: number): number {
  return milliseconds < 1 ? 0 : tokens / (milliseconds / 1000);
}
