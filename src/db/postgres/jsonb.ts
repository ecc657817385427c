/** The one way of a value into a jsonb column: cleaned, serialised here, sent as a parameter. */

import { type RawBuilder, sql } from 'kysely';
import { cleanJson } from './clean-text';
import type { JsonValue } from '../tables/generated';

/** `null` becomes SQL null. The driver alone would send an array as a Postgres array. */
export function toJsonb(value: unknown): RawBuilder<JsonValue> {
  const text = value === null || value === undefined ? null : JSON.stringify(cleanJson(value));
  return sql<JsonValue>`cast(${text} as jsonb)`;
}
