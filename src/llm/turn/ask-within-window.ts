/** Keeps the request within the model's window, as the agent's strategy says: before the provider refuses, and once after it did. */

import type { ContextStrategy } from '../../agents/agent';
import type { TurnAnswer } from '../../domain/turn';
import { applyView, contextTokens, findView, viewStamp, type ContextView } from '../context/context-view';
import { narrowView } from '../context/narrow-view';
import { askForOutput } from './ask-for-output';
import type { Asked } from './ask-model';
import { mergeAnswers } from './merge-answers';
import { summarise } from './summarise';
import type { TurnRun } from './turn-run';

const DEFAULT_SHARE = 0.8;

export async function askWithinWindow(run: TurnRun): Promise<Asked> {
  const { context: strategy } = run.input.agent;
  const view = findView(run.input.transcript);
  if (strategy === undefined) return askInView(run, { view });
  const tokens = contextTokens(run.input.transcript);
  const allowed = (run.model.contextWindow ?? Number.POSITIVE_INFINITY) * (strategy.at ?? DEFAULT_SHARE);
  if (tokens < allowed) return askOnceMoreIfRefused(run, { view, strategy, tokens });
  if (strategy.kind === 'end') return endOfContext(tokens, run);
  return askInView(run, await narrow(run, { view, strategy, tokens, allowed }));
}

interface View {
  readonly view: ContextView | undefined;
  /** The request that made the summary, to be paid for with the answer. */
  readonly summary?: TurnAnswer | undefined;
}

async function askInView(run: TurnRun, { view, summary }: View): Promise<Asked> {
  const asked = await askAfterSummary(run, { view, summary });
  if (asked.kind === 'failure') return asked;
  const stamped = { ...asked.answer, metadata: { ...asked.answer.metadata, ...viewStamp(view) } };
  return { kind: 'answer', answer: summary === undefined ? stamped : mergeAnswers(summary, stamped) };
}

/** A summary whose answer never came was paid for in vain. */
async function askAfterSummary(run: TurnRun, { view, summary }: View): Promise<Asked> {
  let asked: Asked | undefined;
  try {
    asked = await askForOutput({ ...run, transcript: applyView(run.input.transcript, view) });
    return asked;
  } finally {
    if (summary !== undefined && asked?.kind !== 'answer') run.input.discarded?.add(summary);
  }
}

interface Situation {
  readonly view: ContextView | undefined;
  readonly strategy: ContextStrategy;
  readonly tokens: number;
}

/** The provider's own limit may be lower than what was said of it. */
async function askOnceMoreIfRefused(run: TurnRun, situation: Situation): Promise<Asked> {
  const first = await askInView(run, situation);
  if (first.kind === 'answer' || first.failure.outcome.kind !== 'context-limit' || situation.strategy.kind === 'end') return first;
  const narrowed = await narrow(run, { ...situation, allowed: 0 });
  return narrowed.view === situation.view ? first : askInView(run, narrowed);
}

/** The same view where nothing can be left out: then the provider decides (R41). */
async function narrow(run: TurnRun, { view, strategy, tokens, allowed }: Situation & { readonly allowed: number }): Promise<View> {
  const seen = applyView(run.input.transcript, view);
  const fromSeq = narrowView(seen, { strategy, tokens, allowed });
  if (fromSeq === undefined || fromSeq <= (view?.fromSeq ?? 0)) return { view };
  if (strategy.kind !== 'summarise') return { view: { fromSeq } };
  const dropped = seen.filter((message) => message.seq === null || message.seq < fromSeq);
  const summary = await summarise(run, dropped);
  return summary === undefined ? { view: { fromSeq } } : { view: { fromSeq, summary: summary.content ?? '' }, summary };
}

function endOfContext(tokens: number, { model }: TurnRun): Asked {
  const message = `Context limit reached: about ${tokens} of the ${model.contextWindow ?? 0} tokens of model "${model.name}" are used, and the agent's context strategy is to end here`;
  return {
    kind: 'failure',
    failure: { outcome: { kind: 'context-limit', message, durationSeconds: 0 }, error: undefined },
    request: undefined,
  };
}
