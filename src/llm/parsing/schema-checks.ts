/** Checks arguments against the schema that was offered. Each schema is compiled once, however often its object is made anew. */

import Ajv, { type ErrorObject, type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import type { JsonObject } from '../../domain/loop';
import { BoundedMap } from '../../util/bounded-map';

const COMPILED_LIMIT = 1_000;
const PROBLEMS_LIMIT = 10;

export class SchemaChecks {
  /** Keeps all that it ever compiled, so that it is made anew from time to time. */
  #ajv: Ajv | undefined;
  #compiled = 0;
  readonly #byObject = new WeakMap<JsonObject, ValidateFunction | null>();
  readonly #byText = new BoundedMap<string, ValidateFunction | null>(COMPILED_LIMIT);

  /** What does not fit, a line each with its path; empty where all fits. */
  check(schema: JsonObject, value: unknown): readonly string[] {
    const validate = this.#validatorOf(schema);
    if (validate === null || validate(value)) return [];
    return [...new Set((validate.errors ?? []).map(format))].slice(0, PROBLEMS_LIMIT);
  }

  #validatorOf(schema: JsonObject): ValidateFunction | null {
    const known = this.#byObject.get(schema);
    if (known !== undefined) return known;
    const text = JSON.stringify(schema);
    const validate = this.#byText.get(text) ?? this.#compile(schema);
    this.#byText.set(text, validate);
    this.#byObject.set(schema, validate);
    return validate;
  }

  /** Null where the schema itself cannot be compiled: the tool's own check is then the only one, as foreign servers' schemas are not ours to refuse. */
  #compile(schema: JsonObject): ValidateFunction | null {
    const { $schema: _dialect, $id: _id, ...plain } = schema;
    const ajv = this.#openAjv();
    try {
      return ajv.compile(plain);
    } catch {
      return null;
    } finally {
      ajv.removeSchema(plain);
    }
  }

  #openAjv(): Ajv {
    if (this.#compiled % COMPILED_LIMIT === 0) this.#ajv = undefined;
    this.#compiled += 1;
    this.#ajv ??= createAjv();
    return this.#ajv;
  }
}

function createAjv(): Ajv {
  const ajv = new Ajv({ strict: false, allErrors: true, addUsedSchema: false, logger: false });
  addFormats(ajv);
  return ajv;
}

function format(error: ErrorObject): string {
  const path = error.instancePath === '' ? '(the object itself)' : error.instancePath;
  return `${path}: ${error.message ?? 'does not fit'}${detailOf(error)}`;
}

function detailOf({ keyword, params }: ErrorObject): string {
  const detail = params as Readonly<Record<string, unknown>>;
  if (keyword === 'additionalProperties') return `: "${String(detail.additionalProperty)}"`;
  if (keyword === 'enum') return `: ${JSON.stringify(detail.allowedValues)}`;
  if (keyword === 'const') return `: ${JSON.stringify(detail.allowedValue)}`;
  return '';
}
