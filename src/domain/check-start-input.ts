/** The strict check of what a loop is started with. Unknown fields are refused, so that a misspelt one is not lost. */

import type { StartInput } from './agent-loop-input';
import { checkContent } from './check-content';
import { checkLimits } from './check-limits';
import { byteLength, checkFields, checkJsonObject, checkKey, checkLabel, invalidInput, optional } from './input-checks';
import type { Subject } from './loop';

const START_FIELDS = ['agent', 'message', 'key', 'title', 'subject', 'state', 'limits'] as const satisfies readonly (keyof StartInput)[];
const AGENT_NAME = /^[\w.-]{1,64}$/;
const SUBJECT_LIMIT_CHARS = 255;

export interface StartCheckOptions {
  /** Of the whole input as JSON in UTF-8. Absent: each field's own bound only. See `INPUT_LIMIT_BYTES` for Temporal's clients (R9). */
  readonly limitBytes?: number;
}

/** @throws InvalidInput with the field */
export function checkStartInput(value: unknown, { limitBytes = Infinity }: StartCheckOptions = {}): StartInput {
  const fields = checkFields(value, 'the start', START_FIELDS);
  assertSize(fields, limitBytes);
  return {
    agent: checkAgentName(fields.agent),
    message: checkContent(fields.message),
    ...optional(fields, 'key', checkKey),
    ...optional(fields, 'title', checkLabel),
    ...optional(fields, 'subject', checkSubject),
    ...optional(fields, 'state', checkJsonObject),
    ...optional(fields, 'limits', checkLimits),
  };
}

function assertSize(fields: object, limitBytes: number): void {
  const bytes = byteLength(JSON.stringify(fields));
  if (bytes <= limitBytes) return;
  throw invalidInput(
    'message',
    `and the other fields have ${bytes} bytes together, and at most ${limitBytes} may be given this way; start the loop with this package's client`,
  );
}

function checkAgentName(value: unknown): string {
  if (typeof value === 'string' && AGENT_NAME.test(value)) return value;
  throw invalidInput('agent', 'must be the name of an agent: 1 to 64 letters, digits, "_", "-" or "."');
}

function checkSubject(value: unknown): Subject {
  const { type, id } = checkFields(value, 'subject', ['type', 'id']);
  return { type: checkSubjectPart(type, 'subject.type'), id: checkSubjectPart(id, 'subject.id') };
}

function checkSubjectPart(value: unknown, field: string): string {
  const text = checkLabel(value, field, SUBJECT_LIMIT_CHARS);
  if (text === '') throw invalidInput(field, 'is empty');
  return text;
}
