/** Makes one plain object of the top of a tool's schema: several providers refuse a reference or a choice there (P94). */

import { isObject, type ForeignObject } from '../foreign-json';

const REFERENCES_FOLLOWED_MAXIMUM = 8;

/** What a local reference (`#`, `#/$defs/Name`) stands for, or undefined. */
export function findReferenced(reference: unknown, root: ForeignObject): ForeignObject | undefined {
  if (typeof reference !== 'string' || !/^#(\/|$)/.test(reference)) return undefined;
  const path = reference.split('/').slice(1);
  let found: unknown = root;
  for (const step of path) found = isObject(found) ? found[unescaped(step)] : undefined;
  return isObject(found) ? found : undefined;
}

const unescaped = (step: string): string => step.replaceAll('~1', '/').replaceAll('~0', '~');

/** A reference at the top is replaced by what it stands for; definitions stay where they are. */
export function derefTop(schema: ForeignObject): ForeignObject {
  let top = schema;
  for (let followed = 0; top.$ref !== undefined && followed < REFERENCES_FOLLOWED_MAXIMUM; followed += 1) {
    const { $ref, ...beside } = top;
    top = { ...findReferenced($ref, schema), ...beside };
  }
  return top;
}

/** The branches of a choice become one object that offers what any of them has, and demands what all of them demand. */
export function mergeChoices(schema: ForeignObject): ForeignObject {
  const { anyOf, oneOf, allOf, not: _not, enum: _enum, ...rest } = schema;
  const read = (value: unknown): readonly ForeignObject[] => branchesOf(value, schema);
  const choices = [...read(anyOf), ...read(oneOf)];
  const parts = read(allOf);
  if (choices.length === 0 && parts.length === 0) return rest;
  const requiredByAll = [rest, ...parts].flatMap(requiredOf);
  const requiredByEach = choices.map(requiredOf);
  const common = (requiredByEach[0] ?? []).filter((name) => requiredByEach.every((names) => names.includes(name)));
  return {
    ...rest,
    properties: mergeProperties([rest, ...parts, ...choices]),
    required: [...new Set([...requiredByAll, ...common])],
  };
}

/** Choices inside choices are taken along. */
function branchesOf(value: unknown, root: ForeignObject): readonly ForeignObject[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isObject).map((branch) => {
    const { $defs: _defs, definitions: _definitions, ...plain } = derefTop({ ...definitionsOf(root), ...branch });
    return mergeChoices(plain);
  });
}

const definitionsOf = ({ $defs, definitions }: ForeignObject): ForeignObject => ({ $defs, definitions });

const requiredOf = (schema: ForeignObject): readonly string[] =>
  Array.isArray(schema.required) ? schema.required.filter((name) => typeof name === 'string') : [];

function mergeProperties(schemas: readonly ForeignObject[]): ForeignObject {
  const forms = new Map<string, unknown[]>();
  for (const { properties } of schemas) {
    if (!isObject(properties)) continue;
    for (const [name, form] of Object.entries(properties)) forms.set(name, [...(forms.get(name) ?? []), form]);
  }
  return Object.fromEntries([...forms].map(([name, all]) => [name, oneForm(all)]));
}

/** A property that looks otherwise in each branch, such as the one that tells them apart, may be any of these. */
function oneForm(forms: readonly unknown[]): unknown {
  const [first, ...others] = [...new Map(forms.map((form) => [JSON.stringify(form), form])).values()];
  if (others.length === 0) return first;
  const all = [first, ...others];
  const constants = all.map((form) => (isObject(form) ? form.const : undefined));
  if (constants.some((value) => value === undefined)) return { anyOf: all };
  return { ...(isObject(first) && first.type !== undefined ? { type: first.type } : {}), enum: constants };
}
