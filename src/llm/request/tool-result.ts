/** Turns a stored tool result into what the model gets: text that is never empty, and images apart (P80, P82). */

import type { ContentPart, TranscriptMessage } from '../../domain/message';
import { isObject, parseJson, type ForeignObject } from '../foreign-json';
import { capText } from './cap-text';
import { cleanText } from './clean-text';

export interface ToolResultOptions {
  /** The model takes images. */
  readonly vision: boolean;
  /** Most characters of text. */
  readonly maximum: number;
  /** How the rest of a long result can be read: told to the model. */
  readonly howToReadOn?: (result: TranscriptMessage, offset: number) => string;
}

export interface RenderedResult {
  readonly text: string;
  readonly images: readonly ContentPart[];
}

const NO_RESULT_TEXT = 'No result of this call was recorded. It may or may not have taken effect.';
const EMPTY_RESULT_TEXT = '(The tool returned nothing.)';
const DEFAULT_IMAGE_TYPE = 'image/png';

export function renderToolResult(result: TranscriptMessage | undefined, options: ToolResultOptions): RenderedResult {
  if (result === undefined) return { text: NO_RESULT_TEXT, images: [] };
  const content = result.content ?? '';
  const parts = imageParts(content);
  if (parts === undefined) return { text: nonEmpty(cap(content, result, options)), images: [] };
  const texts = parts.map((part) => (part.type === 'text' ? String(part.text ?? '') : noteOn(part, options.vision)));
  return { text: nonEmpty(cap(texts.join('\n'), result, options)), images: options.vision ? parts.filter(isImage).map(toImagePart) : [] };
}

function cap(text: string, result: TranscriptMessage, { maximum, howToReadOn }: ToolResultOptions): string {
  return cleanText(capText(text, { maximum, ...(howToReadOn === undefined ? {} : { howToReadOn: (offset) => howToReadOn(result, offset) }) }));
}

const nonEmpty = (text: string): string => (text.trim() === '' ? EMPTY_RESULT_TEXT : text);

/** The parts of a result that holds images; undefined for every other result, which is text. */
function imageParts(content: string): readonly ForeignObject[] | undefined {
  if (!content.startsWith('[') || !content.includes('"image"')) return undefined;
  const parsed = parseJson(content);
  if (!Array.isArray(parsed) || !parsed.every((part): part is ForeignObject => isObject(part) && (part.type === 'text' || isImage(part)))) return undefined;
  return parsed.some(isImage) ? parsed : undefined;
}

const isImage = (part: ForeignObject): boolean => part.type === 'image' && typeof part.data === 'string';

const typeOf = (part: ForeignObject): string => (typeof part.mimeType === 'string' ? part.mimeType : DEFAULT_IMAGE_TYPE);

/** Base64 never goes out as text: it would fill the context and say nothing. */
function noteOn(part: ForeignObject, vision: boolean): string {
  const bytes = Math.floor((String(part.data).replace(/=+$/, '').length * 3) / 4);
  return `[image, ${typeOf(part)}, ${bytes} bytes: ${vision ? 'shown below' : 'not shown, since this model takes no images'}]`;
}

const toImagePart = (part: ForeignObject): ContentPart => ({ type: 'image_url', image_url: { url: `data:${typeOf(part)};base64,${String(part.data)}` } });
