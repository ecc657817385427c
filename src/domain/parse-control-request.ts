/** Reads a control request from wherever it comes: client, command line, page, signal, update, hook. Strict. */

import { assertNever } from './assert-never';
import { checkContent } from './check-content';
import { checkLimits } from './check-limits';
import { CONTROL_VERBS, type ControlRequest, type ControlVerb, type KeyedControlRequest } from './control';
import {
  checkBoolean,
  checkFields,
  checkKey,
  checkLabel,
  checkOneOf,
  type Fields,
  invalidInput,
  KEY_LIMIT_CHARS,
  optional,
} from './input-checks';
import { isRowId } from './ids';

const FIELDS_OF_ALL = ['verb', 'key', 'by'] as const;

const FIELDS: Readonly<Record<ControlVerb, readonly string[]>> = {
  pause: ['when', 'reason'],
  resume: ['skipCalls'],
  steer: ['message', 'interrupt'],
  editMessage: ['messageId', 'message'],
  withdrawMessage: ['messageId'],
  stop: ['when', 'reason', 'children'],
  freeze: ['reason', 'children'],
  unfreeze: [],
  reopen: ['message', 'skipCalls'],
  retry: [],
  setLimits: ['limits'],
  hideMessage: ['messageId'],
  showMessage: ['messageId'],
};

/** @throws InvalidInput with the field */
export function parseControlRequest(value: unknown): KeyedControlRequest {
  const verb = parseVerb(value);
  const fields = checkFields(value, `a ${verb} request`, [...FIELDS_OF_ALL, ...FIELDS[verb]]);
  return { ...parseVerbFields(verb, fields), key: checkKey(fields.key), ...optional(fields, 'by', checkBy) };
}

/** @throws InvalidInput where the text is none of the verbs */
export function parseVerb(value: unknown): ControlVerb {
  const verb = value !== null && typeof value === 'object' && 'verb' in value ? value.verb : undefined;
  return checkOneOf(verb, 'verb', CONTROL_VERBS);
}

function parseVerbFields(verb: ControlVerb, fields: Fields): ControlRequest {
  switch (verb) {
    case 'pause':
      return { verb, ...optional(fields, 'when', checkWhen), ...optional(fields, 'reason', checkLabel) };
    case 'stop':
      return {
        verb,
        ...optional(fields, 'when', checkWhen),
        ...optional(fields, 'reason', checkLabel),
        ...optional(fields, 'children', checkBoolean),
      };
    case 'freeze':
      return { verb, ...optional(fields, 'reason', checkLabel), ...optional(fields, 'children', checkBoolean) };
    case 'steer':
      return { verb, message: checkContent(fields.message), ...optional(fields, 'interrupt', checkBoolean) };
    case 'reopen':
      return { verb, message: checkContent(fields.message), ...optional(fields, 'skipCalls', checkBoolean) };
    case 'editMessage':
      return { verb, messageId: checkMessageId(fields.messageId), message: checkContent(fields.message) };
    case 'withdrawMessage':
    case 'hideMessage':
    case 'showMessage':
      return { verb, messageId: checkMessageId(fields.messageId) };
    case 'setLimits':
      return { verb, limits: checkLimits(fields.limits) };
    case 'resume':
      return { verb, ...optional(fields, 'skipCalls', checkBoolean) };
    case 'unfreeze':
    case 'retry':
      return { verb };
    default:
      return assertNever(verb);
  }
}

const checkWhen = (value: unknown, field: string): 'now' | 'afterStep' => checkOneOf(value, field, ['now', 'afterStep']);

const checkBy = (value: unknown, field: string): string => checkLabel(value, field, KEY_LIMIT_CHARS);

function checkMessageId(value: unknown): string {
  if (isRowId(value)) return value;
  throw invalidInput('messageId', 'must be the id of a message, as digits; the transcript shows it');
}
