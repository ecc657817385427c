/** Has the model summarise what leaves its view. */

import type { Agent } from '../../agents/agent';
import type { TranscriptMessage } from '../../domain/message';
import type { TurnAnswer } from '../../domain/turn';
import { SUMMARY_INSTRUCTIONS, toSummaryText } from '../context/summary-request';
import { transcriptNote } from '../context/transcript-note';
import { defaultLlmStack } from '../default-stack';
import type { LlmPorts } from '../ports';
import { askModel } from './ask-model';
import { countTokens, takeRatePlace } from './take-rate-place';
import { tryFurther } from './try-further';
import type { TurnRun } from './turn-run';

/** Undefined where no summary came of it: then the old turns are left out without one. */
export async function summarise(run: TurnRun, dropped: readonly TranscriptMessage[]): Promise<TurnAnswer | undefined> {
  const { input, model } = run;
  const ports = unseen(run.ports);
  const text = transcriptNote({ loopId: input.loop.id, role: 'user', content: toSummaryText(dropped) });
  const answer = await tryFurther(run, async () => {
    await takeRatePlace(model, ports);
    return askModel({ input, model, stack: defaultLlmStack(ports), transcript: [text], agent: summariserOf(input.agent) });
  });
  if (answer !== undefined) await countTokens(model, answer.usage.total, ports);
  if (answer !== undefined && (answer.content ?? '').trim() === '') {
    input.discarded?.add(answer);
    return undefined;
  }
  return answer;
}

/** The agent with its model alone: no tools, no form of answer. */
function summariserOf({ output: _output, tools: _tools, mcp: _mcp, context: _context, ...agent }: Agent): Agent {
  return { ...agent, instructions: SUMMARY_INSTRUCTIONS };
}

/** A summary is nobody's answer: it shows neither live nor in the shell. */
const unseen = (ports: LlmPorts): LlmPorts => ({ ...ports, live: { push: () => undefined }, shell: { update: () => undefined } });
