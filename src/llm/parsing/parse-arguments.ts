/** From what stands under `arguments` to an object, without guessing: it parses, or the model is told where it does not. */

import type { JsonObject } from '../../domain/loop';
import { isObject, parseJson } from '../foreign-json';
import { findJsonFault, type JsonFault } from './json-fault';

export type ParsedArguments =
  | { readonly kind: 'object'; readonly value: JsonObject; readonly raw: string }
  | { readonly kind: 'invalid'; readonly fault: JsonFault; readonly raw: string }
  | { readonly kind: 'not-an-object'; readonly raw: string };

/** Nothing at all, white space and `null` are an empty object (P26), also inside a string; one layer of string around the object is taken off. */
export function parseArguments(value: unknown): ParsedArguments {
  if (value === undefined || value === null) return { kind: 'object', value: {}, raw: '' };
  if (typeof value !== 'string') return toParsed(value, JSON.stringify(value));
  if (value.trim() === '') return { kind: 'object', value: {}, raw: value };
  const fault = findJsonFault(value);
  if (fault !== undefined) return { kind: 'invalid', fault, raw: value };
  const parsed: unknown = JSON.parse(value);
  const inner = unwrapped(parsed);
  // Without its layer of string it can be sent back as what was run.
  return toParsed(inner, isObject(inner) && typeof parsed === 'string' ? parsed : value);
}

function toParsed(value: unknown, raw: string): ParsedArguments {
  if (value === null) return { kind: 'object', value: {}, raw };
  return isObject(value) ? { kind: 'object', value: value as JsonObject, raw } : { kind: 'not-an-object', raw };
}

function unwrapped(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const inner = value.trim() === '' ? null : parseJson(value);
  return isObject(inner) || inner === null ? inner : value;
}
