/** Content that comes as a list of parts instead of a text (P32). */

import { isRecord, nonEmptyString, toList, type UnknownRecord } from './json-values';

export interface ReadParts {
  readonly content: string;
  readonly reasoning: string;
  readonly refusal: string;
  /** Types of the parts that were passed over. */
  readonly ignored: readonly string[];
}

/** Reads any value that a `content` field may hold. */
export function readContentParts(value: unknown): ReadParts {
  const parts = { content: '', reasoning: '', refusal: '', ignored: [] as string[] };
  for (const part of toList(value)) {
    if (typeof part === 'string' || typeof part === 'number') parts.content += part;
    else if (isRecord(part)) readPart(part, parts);
  }
  return parts;
}

type Mutable<Value> = { -readonly [Field in keyof Value]: Value[Field] };

function readPart(part: UnknownRecord, parts: Mutable<ReadParts> & { ignored: string[] }): void {
  const type = typeof part.type === 'string' ? part.type : 'text';
  switch (type) {
    case 'text':
    case 'output_text':
      parts.content += textOf(part.text);
      return;
    case 'thinking':
    case 'reasoning':
      parts.reasoning += textOf(part.thinking) || textOf(part.text) || textOf(part.reasoning) || textOf(part.summary);
      return;
    case 'refusal':
      parts.refusal += textOf(part.refusal);
      return;
    default:
      parts.ignored.push(type);
  }
}

/** A text, or a list of texts or of parts with a text. */
function textOf(value: unknown): string {
  return toList(value)
    .map((part) => (typeof part === 'string' ? part : isRecord(part) ? (nonEmptyString(part.text) ?? '') : ''))
    .join('');
}
