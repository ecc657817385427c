/** What a tool returned, as text for the model and images beside it (P80). The text is never empty. */

import type { ToolResultPart } from '../agents/tool';
import { messageOf, SolidLoopError } from '../domain/errors';

export const NO_OUTPUT_TEXT = '(no output)';

/** An image kept beside the text: base64 and its type. */
export interface ResultImage {
  readonly mimeType: string;
  readonly data: string;
}

export interface ResultText {
  readonly text: string;
  readonly images: readonly ResultImage[];
}

/** Larger images are told of and not kept: a request that holds one is refused by every provider. */
const IMAGE_LIMIT_CHARS = 10_000_000;

/**
 * Strings as they are, parts as text with a note for each image, anything else as JSON.
 * @throws ToolFailed where a value has no JSON form (a cycle)
 */
export function toResultText(value: unknown): ResultText {
  if (isPartList(value)) return fromParts(value);
  return { text: orNoOutput(typeof value === 'string' ? value : toJson(value)), images: [] };
}

function isPartList(value: unknown): value is readonly ToolResultPart[] {
  return Array.isArray(value) && value.length > 0 && value.every(isPart);
}

function isPart(value: unknown): value is ToolResultPart {
  if (typeof value !== 'object' || value === null) return false;
  const { type, text, data, mimeType } = value as Partial<Record<string, unknown>>;
  return type === 'text' ? typeof text === 'string' : type === 'image' && typeof data === 'string' && typeof mimeType === 'string';
}

function fromParts(parts: readonly ToolResultPart[]): ResultText {
  const images: ResultImage[] = [];
  const lines = parts.map(({ type, text, data = '', mimeType = '' }) => {
    if (type === 'text') return text ?? '';
    const size = `${mimeType}, ${Math.ceil((data.length * 3) / 4 / 1024)} kB`;
    if (data.length > IMAGE_LIMIT_CHARS) return `[an image was left out: ${size}, too large]`;
    images.push({ mimeType, data });
    return `[image ${images.length}: ${size}]`;
  });
  return { text: orNoOutput(lines.join('\n')), images };
}

function toJson(value: unknown): string {
  try {
    return JSON.stringify(value, (_key, entry: unknown) => (typeof entry === 'bigint' ? entry.toString() : entry)) ?? NO_OUTPUT_TEXT;
  } catch (error) {
    throw new SolidLoopError('ToolFailed', `the tool ran, but its result cannot be written as JSON: ${messageOf(error)}`, { cause: error });
  }
}

/** Providers refuse an empty tool message, and some a blank one. */
const orNoOutput = (text: string): string => (text.trim() === '' ? NO_OUTPUT_TEXT : text);
