/** Checks a final answer against the agent's output schema. */

import { formatIssues } from '../../agents/json-schema';
import { messageOf } from '../../domain/errors';
import type { ReadOutput } from './read-output';

/** A fence around the whole answer is no fault: many models cannot leave it away. */
const FENCED = /^\s*```(?:json)?\s([\s\S]*?)```\s*$/i;

/** `json` is the answer without a fence, white space or a byte order mark around it. */
export type CheckedAnswer = { readonly ok: true; readonly json: string } | { readonly ok: false; readonly fault: string };

export async function checkAnswer(content: string, output: ReadOutput): Promise<CheckedAnswer> {
  const json = (FENCED.exec(content)?.[1] ?? content).trim();
  const parsed = parse(json);
  if (!parsed.ok) return { ok: false, fault: `it is not JSON: ${parsed.fault}` };
  const issues = await output.check(parsed.value);
  return issues.length === 0 ? { ok: true, json } : { ok: false, fault: formatIssues(issues) };
}

type Parsed = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly fault: string };

function parse(json: string): Parsed {
  try {
    return { ok: true, value: JSON.parse(json) as unknown };
  } catch (error) {
    return { ok: false, fault: messageOf(error) };
  }
}
