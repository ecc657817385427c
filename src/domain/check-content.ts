/** The strict check of a message's content: text, or parts with images. */

import { checkFields, checkMessage, checkOneOf, type Fields, invalidInput, optional } from './input-checks';
import type { ContentPart, MessageContent } from './message';

const PARTS_LIMIT = 100;
/** Of one image as a data url. */
const IMAGE_LIMIT_CHARS = 20_000_000;
const DATA_URL = /^data:image\/(png|jpe?g|gif|webp);base64,[A-Za-z0-9+/]+=*$/;

/** @throws InvalidInput with the field */
export function checkContent(value: unknown, field = 'message'): MessageContent {
  if (!Array.isArray(value)) return checkMessage(value, field);
  if (value.length === 0 || value.length > PARTS_LIMIT)
    throw invalidInput(field, `must have 1 to ${PARTS_LIMIT} parts, and has ${value.length}`);
  const parts = value.map((part, index) => checkPart(part, `${field}[${index}]`));
  if (parts.some(({ type }) => type === 'image_url')) return parts;
  return checkMessage(textOf(parts), field);
}

/** The words of a content alone, its texts joined by blank lines. */
export function textOf(content: MessageContent): string {
  if (typeof content === 'string') return content;
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
}

function checkPart(value: unknown, field: string): ContentPart {
  const fields = checkFields(value, field, ['type', 'text', 'image_url']);
  const type = checkOneOf(fields.type, `${field}.type`, ['text', 'image_url']);
  return type === 'text'
    ? { type, text: checkMessage(fields.text, `${field}.text`) }
    : { type, image_url: checkImage(fields.image_url, `${field}.image_url`) };
}

function checkImage(value: unknown, field: string): { readonly url: string; readonly detail?: 'auto' | 'low' | 'high' } {
  const fields: Fields = checkFields(value, field, ['url', 'detail']);
  const url = checkImageUrl(fields.url, `${field}.url`);
  return {
    url,
    ...optional(fields, 'detail', (detail) => checkOneOf<'auto' | 'low' | 'high'>(detail, `${field}.detail`, ['auto', 'low', 'high'])),
  };
}

/** The provider fetches an https url itself; we never do. */
function checkImageUrl(value: unknown, field: string): string {
  if (typeof value !== 'string') throw invalidInput(field, 'must be text: an https url, or a data url of a png, jpeg, gif or webp');
  if (value.length > IMAGE_LIMIT_CHARS)
    throw invalidInput(field, `has ${value.length} characters, and at most ${IMAGE_LIMIT_CHARS} are taken; give an https url`);
  if (!value.startsWith('https://') && !DATA_URL.test(value))
    throw invalidInput(field, 'must be an https url, or a base64 data url of a png, jpeg, gif or webp');
  return value;
}
