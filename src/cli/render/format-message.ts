/** Messages of a transcript as blocks of lines. */

import type { TranscriptMessage, TranscriptToolCall } from '../../domain/message';
import { assertNever } from '../../domain/assert-never';
import type { Paint } from './paint';
import { indent, printable, shorten } from './text';

const ARGUMENTS_LIMIT_CHARS = 160;
const RESULT_LIMIT_CHARS = 200;
const SYSTEM_LIMIT_CHARS = 120;

export interface MessageFormat {
  readonly paint: Paint;
  /** Whole arguments and results instead of one line each. @default false */
  readonly isFull?: boolean;
  /** The id that the verbs for messages take. @default false */
  readonly withIds?: boolean;
}

/** The calls that tool messages answer, by row. */
export type CallsById = ReadonlyMap<string, TranscriptToolCall>;

export function callsOf(messages: readonly TranscriptMessage[]): CallsById {
  return new Map(messages.flatMap((message) => message.toolCalls.map((call) => [call.id, call] as const)));
}

/** Empty where there is nothing to show. */
export function formatMessage(message: TranscriptMessage, calls: CallsById, format: MessageFormat): string {
  const body = formatBody(message, calls, format);
  const marks = marksOf(message, format);
  return body === '' || marks.length === 0 ? body : `${body} ${format.paint.yellow(`(${marks.join(', ')})`)}`;
}

/** What is out of the ordinary about it. A message that waits can be edited and withdrawn, so its id is always told. */
function marksOf({ id, status, isHidden, role }: TranscriptMessage, { withIds = false }: MessageFormat): readonly string[] {
  const isWaiting = status === 'pending';
  return [
    ...(isWaiting ? ['waits for the next turn'] : []),
    ...(isHidden && !isWaiting ? ['hidden from the model'] : []),
    ...(status === 'failed' ? [role === 'assistant' ? 'not finished' : 'failed'] : []),
    ...(isWaiting || withIds ? [`message ${id}`] : []),
  ];
}

function formatBody(message: TranscriptMessage, calls: CallsById, format: MessageFormat): string {
  const { paint } = format;
  switch (message.role) {
    case 'system':
      return paint.dim(`system: ${shorten(message.content ?? '', SYSTEM_LIMIT_CHARS)}`);
    case 'user':
      return `${paint.bold(paint.cyan('›'))} ${indent(printable(message.content ?? '').trimEnd(), '  ').trimStart()}`;
    case 'assistant':
      return [
        printable(message.content ?? '').trimEnd(),
        ...message.toolCalls.map((call) => formatCall(call, format)),
        formatNote(message, paint),
      ]
        .filter((block) => block !== '')
        .join('\n');
    case 'tool':
      return formatResult(message, calls, format);
    default:
      return assertNever(message.role);
  }
}

/** `→ add {"a":17,"b":25}` */
export function formatCall(call: TranscriptToolCall, { paint, isFull = false }: MessageFormat): string {
  const given = isFull ? printable(call.arguments) : shorten(call.arguments, ARGUMENTS_LIMIT_CHARS);
  return `${paint.cyan('→')} ${paint.bold(printable(call.name))}${given === '{}' ? '' : ` ${paint.dim(given)}`}`;
}

/** `← add 42` */
export function formatResult(message: TranscriptMessage, calls: CallsById, { paint, isFull = false }: MessageFormat): string {
  const name = calls.get(message.toolCallRef ?? '')?.name ?? 'tool';
  const content = message.content ?? '';
  const result = isFull ? `\n${indent(printable(content), '    ')}` : ` ${shorten(content, RESULT_LIMIT_CHARS)}`;
  return `${paint.green('←')} ${paint.dim(`${printable(name)}${result}`)}`;
}

export function formatNote(message: TranscriptMessage, paint: Paint): string {
  return message.errorMessage === null ? '' : paint.yellow(printable(message.errorMessage));
}
