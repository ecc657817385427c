/** Writes a call's outcome: its checkpoint, or checkpoint and tool message in one transaction (R54, R55). */

import type { ToolExecutionContext } from '../agents/middleware';
import { capText } from './cap-text';
import type { ToolOutcome, ToolResponse } from './ports';
import { howToReadOn } from './read-more';
import { NO_OUTPUT_TEXT } from './result-text';
import type { ToolRun } from './tool-run';

/** Longer results are cut before they are stored: no model reads them, and a row has its limits. */
const STORED_RESULT_LIMIT_CHARS = 4_000_000;
/** Default of an agent's `maxToolResultChars`. */
const DEFAULT_MAX_TOOL_RESULT_CHARS = 100_000;

/** The outcome with what the run holds beside it. From here on the tool cannot change the state any more. */
export function toOutcome<Answer>(
  { metadata, stateChanges }: ToolRun<Answer>,
  end: Pick<ToolOutcome, 'result' | 'isSuccess' | 'durationSeconds' | 'errorMessage'>,
): ToolOutcome {
  Object.freeze(stateChanges);
  const result = capText(end.result.trim() === '' ? NO_OUTPUT_TEXT : end.result, STORED_RESULT_LIMIT_CHARS);
  return { ...end, result, stateChanges, metadata };
}

/** The tables first, then the context that other middlewares see. */
export async function keepOutcome<Answer>(context: ToolExecutionContext, run: ToolRun<Answer>, outcome: ToolOutcome): Promise<void> {
  if (run.settlesAtOnce) run.answer = { value: await run.ports.settle(outcome, toResponse(context, run, outcome)) };
  else await run.ports.checkpoint(outcome);
  run.isCheckpointed = true;
  context.result = outcome.result;
  context.isSuccess = outcome.isSuccess;
  context.duration = outcome.durationSeconds;
}

export function toResponse<Answer>(
  { agent, call }: ToolExecutionContext,
  { metadata }: ToolRun<Answer>,
  { result, isSuccess, durationSeconds }: Pick<ToolOutcome, 'result' | 'isSuccess' | 'durationSeconds'>,
): ToolResponse {
  const content = capText(
    result.trim() === '' ? NO_OUTPUT_TEXT : result,
    agent.maxToolResultChars ?? DEFAULT_MAX_TOOL_RESULT_CHARS,
    howToReadOn(agent, call.id),
  );
  return { content, isSuccess, durationSeconds, metadata };
}
