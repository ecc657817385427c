/** Turns a stored tool result into what the model gets: text that is never empty, and images apart (P80, P82). */

import type { ContentPart, TranscriptMessage } from '../../domain/message';
import { isObject } from '../foreign-json';
import { cleanText } from './clean-text';

export interface RenderedResult {
  readonly text: string;
  readonly images: readonly ContentPart[];
}

interface StoredImage {
  readonly mimeType: string;
  readonly data: string;
}

const NO_RESULT_TEXT = 'No result of this call was recorded. It may or may not have taken effect.';
const EMPTY_RESULT_TEXT = '(The tool returned nothing.)';

/** `vision`: the model takes images. Base64 never goes out as text: it would fill the context and say nothing. */
export function renderToolResult(result: TranscriptMessage | undefined, { vision }: { readonly vision: boolean }): RenderedResult {
  if (result === undefined) return { text: NO_RESULT_TEXT, images: [] };
  const images = imagesOf(result);
  const text = cleanText(result.content ?? '');
  const noted = images.length === 0 ? text : `${text}\n[${noteOn(images, vision)}]`.trim();
  return { text: noted.trim() === '' ? EMPTY_RESULT_TEXT : noted, images: vision ? images.map(toImagePart) : [] };
}

/** Kept beside the text when the call was answered: `metadata.images`. */
function imagesOf(result: TranscriptMessage): readonly StoredImage[] {
  const { images } = result.metadata;
  if (!Array.isArray(images)) return [];
  return (images as readonly unknown[]).filter(
    (image): image is StoredImage => isObject(image) && typeof image.data === 'string' && typeof image.mimeType === 'string',
  );
}

function noteOn(images: readonly StoredImage[], vision: boolean): string {
  const list = images.map(({ mimeType, data }) => `${mimeType}, ${Math.floor((data.replace(/=+$/, '').length * 3) / 4)} bytes`).join('; ');
  return `${images.length === 1 ? 'image' : `${images.length} images`}: ${list}; ${vision ? 'shown below' : 'not shown, since this model takes no images'}`;
}

const toImagePart = ({ mimeType, data }: StoredImage): ContentPart => ({
  type: 'image_url',
  image_url: { url: `data:${mimeType};base64,${data}` },
});
