/** A message's content as its two columns: the words, and all parts where there are images. */

import type { RawBuilder } from 'kysely';
import { textOf } from '../../domain/check-content';
import type { MessageContent } from '../../domain/message';
import { cleanText } from './clean-text';
import { toJsonb } from './jsonb';
import type { JsonValue } from '../tables/generated';

export interface ContentColumns {
  readonly content: string;
  readonly content_parts: RawBuilder<JsonValue>;
}

export const contentColumns = (content: MessageContent): ContentColumns => ({
  content: cleanText(textOf(content)),
  content_parts: toJsonb(typeof content === 'string' ? null : content),
});
