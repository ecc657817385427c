/** A tool call that a model wrote as text, as one of the readers found it. */

import type { OfferedTool } from '../../../agents/middleware';
import { isObject, parseJson, textOf } from '../../foreign-json';
import { ownField } from '../../stream/json-values';
import { findJsonFault } from '../json-fault';

export interface TextCallFault {
  readonly problem: string;
  /** In `arguments` of the call, which then holds the block's text. */
  readonly offset?: number;
}

export interface TextCall {
  /** Undefined where the block names none. */
  readonly name: string | undefined;
  /** An object, or text as the model wrote it; the whole block where there is a fault. */
  readonly arguments: unknown;
  readonly fault?: TextCallFault;
  /** Set where the text ends too early: inside a value, or after whole values without the tag that closes the call (P40). */
  readonly ending?: 'in-value' | 'unclosed';
}

/** What a reader made of the place where its marker stands: calls, and where the text goes on. */
export interface TextCallBlock {
  readonly calls: readonly TextCall[];
  /** Offset just after the block. */
  readonly end: number;
}

/** Reads the block whose marker begins at `start`. Undefined: the marker is only spoken of there. */
export type TextCallReader = (text: string, start: number, tools: readonly OfferedTool[]) => TextCallBlock | undefined;

/** The forms in which a call is one JSON object. Undefined: the object is no call. */
export function callOfObject(value: unknown): TextCall | undefined {
  if (!isObject(value)) return undefined;
  const body = isObject(value.function) ? value.function : value;
  const name = textOf(body.name);
  return name === undefined ? undefined : { name, arguments: body.arguments ?? body.parameters ?? {} };
}

/** A block that was meant as a call and cannot be read. Its name is guessed for the message only; nothing is run. */
export function unreadableCall(block: string): TextCall {
  const text = block.trim();
  const name = /["'](?:name|action)["']\s*:\s*["']([^"'\n]+)["']/.exec(text)?.[1];
  const fault = findJsonFault(text);
  if (fault === undefined) return { name, arguments: text, fault: { problem: 'it must be one JSON object with "name" and "arguments"' } };
  return { name, arguments: text, fault: { problem: fault.problem, offset: fault.offset } };
}

export function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && /\s/.test(text.charAt(at))) at += 1;
  return at;
}

/** Where the text goes on after the tag, if it stands at `from` or after white space. */
export function afterTag(text: string, from: number, tag: string): number {
  const at = skipSpace(text, from);
  return text.startsWith(tag, at) ? at + tag.length : from;
}

/** What stands between `from` and the first of the tags, or to the end of the text; `end` is after the tag. */
export function readUntil(
  text: string,
  from: number,
  tag: string,
): { readonly inner: string; readonly end: number; readonly isClosed: boolean } {
  const index = text.indexOf(tag, from);
  if (index < 0) return { inner: text.slice(from), end: text.length, isClosed: false };
  return { inner: text.slice(from, index), end: index + tag.length, isClosed: true };
}

/** A value written as plain text: a string where the tool's schema says so, else JSON where it is some. */
export function readPlainValue(text: string, schema: unknown): unknown {
  if (isStringSchema(schema)) return text;
  const value = parseJson(isObject(schema) && schema.type === 'boolean' ? text.trim().toLowerCase() : text.trim());
  return value === undefined ? text : value;
}

export function findTool(tools: readonly OfferedTool[], name: string | undefined): OfferedTool | undefined {
  return tools.find((offered) => offered.exposedName === name || offered.tool.name === name);
}

/** The schema of one argument, as the tool offers it. */
export function argumentSchema(tools: readonly OfferedTool[], toolName: string, argument: string): unknown {
  const properties: unknown = findTool(tools, toolName)?.tool.inputSchema.properties;
  return isObject(properties) ? ownField(properties, argument) : undefined;
}

function isStringSchema(schema: unknown): boolean {
  if (!isObject(schema)) return true;
  const types = schema.type;
  if (Array.isArray(types)) return types.includes('string');
  return (
    types === 'string' || (types === undefined && Array.isArray(schema.enum) && schema.enum.every((value) => typeof value === 'string'))
  );
}
