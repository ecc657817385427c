/** Ends a model that makes the same fault again and again: no repetition without a bound (P65, P71). */

import type { TranscriptMessage } from '../../domain/message';
import type { ParsedCall, TurnAnswer } from '../../domain/turn';

/** So many turns in a row may hold nothing but the same rejected calls. */
const REPEATED_FAULTS_LIMIT = 5;

/** The answer as it is, or, at the limit, without its calls and with the reason: the loop then ends instead of asking once more. */
export function withoutRepetition(answer: TurnAnswer, transcript: readonly TranscriptMessage[]): TurnAnswer {
  const texts = answer.calls.map(answerOf);
  if (texts.length === 0 || texts.includes(undefined)) return answer;
  const fault = JSON.stringify(texts);
  const before = resultsOfLastTurns(transcript).slice(0, REPEATED_FAULTS_LIMIT - 1);
  const isRepeated = before.length === REPEATED_FAULTS_LIMIT - 1 && before.every((results) => JSON.stringify(results) === fault);
  if (!isRepeated) return answer;
  return {
    ...answer,
    calls: [],
    errorMessage: `The model made the same faulty tool call ${REPEATED_FAULTS_LIMIT} times in a row: ${texts[0]}`,
  };
}

function answerOf(call: ParsedCall): string | undefined {
  return call.kind === 'rejected' ? call.answer : undefined;
}

/** The texts of each turn's tool messages, the latest turn first, back to the last word of a person. */
function resultsOfLastTurns(transcript: readonly TranscriptMessage[]): readonly (readonly (string | null)[])[] {
  const turns: (string | null)[][] = [];
  let results: (string | null)[] = [];
  for (const message of [...transcript].reverse()) {
    if (message.role === 'user' || turns.length === REPEATED_FAULTS_LIMIT) break;
    if (message.role === 'tool') results.unshift(message.content);
    if (message.role !== 'assistant') continue;
    turns.push(results);
    results = [];
  }
  return turns;
}
