/** Holds the final answer against the agent's output schema, with one round of correction. */

import type { TurnAnswer } from '../../domain/turn';
import { transcriptNote } from '../context/transcript-note';
import { checkAnswer, type CheckedAnswer } from '../output/check-answer';
import { readOutput, type ReadOutput } from '../output/read-output';
import { askAgainIfSilent } from './ask-again-if-silent';
import type { Asked } from './ask-model';
import { mergeAnswers } from './merge-answers';
import { tryFurther } from './try-further';
import type { TurnRun } from './turn-run';

export async function askForOutput(run: TurnRun): Promise<Asked> {
  const first = await askAgainIfSilent(run);
  const { output: schema } = run.input.agent;
  if (schema === undefined || first.kind === 'failure') return first;
  const output = readOutput(schema);
  if (first.answer.metadata.refusal === true)
    return { kind: 'answer', answer: withFault(first.answer, output, 'the model refused to answer') };
  const checked = await check(first.answer, output);
  if (checked.ok) return { kind: 'answer', answer: checked.answer };
  const second = await tryFurther(run, () =>
    askAgainIfSilent({ ...run, transcript: [...run.transcript, ...correction(run, first.answer, checked.fault)] }),
  );
  if (second === undefined) return { kind: 'answer', answer: withFault(first.answer, output, checked.fault) };
  const merged = mergeAnswers(first.answer, second);
  const corrected = await check(merged, output);
  return { kind: 'answer', answer: corrected.ok ? corrected.answer : withFault(merged, output, corrected.fault) };
}

type Checked = { readonly ok: true; readonly answer: TurnAnswer } | Extract<CheckedAnswer, { ok: false }>;

/** Only an answer that ends the loop is checked: one with calls goes on, one that is short says why already. */
async function check(answer: TurnAnswer, output: ReadOutput): Promise<Checked> {
  if (answer.calls.length > 0 || answer.errorMessage !== null) return { ok: true, answer };
  const checked = await checkAnswer(answer.content ?? '', output);
  return checked.ok ? { ok: true, answer: { ...answer, content: checked.json } } : checked;
}

function correction({ input }: TurnRun, answer: TurnAnswer, fault: string) {
  const loopId = input.loop.id;
  return [
    transcriptNote({ loopId, role: 'assistant', content: answer.content ?? '' }),
    transcriptNote({
      loopId,
      role: 'user',
      content: `This answer does not have the form that was asked for: ${fault}\nGive the whole answer again, as JSON that fits the schema, and nothing else.`,
    }),
  ];
}

const withFault = (answer: TurnAnswer, { name }: ReadOutput, fault: string): TurnAnswer => ({
  ...answer,
  errorMessage: `The answer does not fit the output schema "${name}": ${fault}`,
});
