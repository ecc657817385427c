/** Asks once more where the model gave neither text nor calls (P53). */

import type { TurnAnswer } from '../../domain/turn';
import type { Asked } from './ask-model';
import { askWithRepairs } from './ask-with-repairs';
import { mergeAnswers } from './merge-answers';
import { tryFurther } from './try-further';
import type { TurnRun } from './turn-run';

const NO_ANSWER_TEXT = 'The model gave no answer: neither text nor a tool call, twice in a row.';

/** Cut or filtered answers are short for a reason that asking again does not mend. */
const REASONS_OF_SILENCE = /length|filter|safety|refusal|malformed/i;

export async function askAgainIfSilent(run: TurnRun): Promise<Asked> {
  const first = await askWithRepairs(run);
  if (first.kind === 'failure' || !isSilent(first.answer)) return first;
  run.ports.logger?.warn({ loop: run.input.loop.id, model: run.model.name }, 'the model gave no answer; it is asked once more');
  const second = await tryFurther(run, () => askWithRepairs(run));
  const answer = second === undefined ? first.answer : mergeAnswers(first.answer, second);
  return { kind: 'answer', answer: isSilent(answer) ? { ...answer, errorMessage: answer.errorMessage ?? NO_ANSWER_TEXT } : answer };
}

function isSilent({ content, calls, metadata }: TurnAnswer): boolean {
  const { finish_reason: reason } = metadata;
  return (content ?? '').trim() === '' && calls.length === 0 && !(typeof reason === 'string' && REASONS_OF_SILENCE.test(reason));
}
