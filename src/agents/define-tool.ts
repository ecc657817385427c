/** `defineTool`: what an author writes, with the type of its input, becomes the tool that the engine holds. */

import type { StandardSchemaV1 } from '@standard-schema/spec';
import { SolidLoopError, isSolidLoopError } from '../domain/errors';
import type { JsonObject, Loop } from '../domain/loop';
import type { ToolEffect } from '../domain/tool-call';
import { ArgumentsRefused } from './arguments-refused';
import { assertToolFields } from './check-tool';
import { EMPTY_OBJECT_SCHEMA, compileJsonSchema } from './json-schema';
import { checkWithStandardSchema, isPlainObject, isStandardSchema, toInputJsonSchema, type CheckedValue } from './standard-schema';
import type { ReconcileAnswer, ToolContext, ToolDefinition } from './tool';

/** A Standard Schema (zod, valibot, arktype …) or a plain JSON Schema with an object at the top. */
export type ToolSchema = StandardSchemaV1 | JsonObject;

/** What `run` gets: the schema's output, after its defaults and transforms; for a plain JSON Schema, a JSON object. */
export type ToolInput<Schema> = Schema extends StandardSchemaV1<unknown, infer Output> ? Output : JsonObject;

/** A tool as its author writes it. */
export interface TypedToolDefinition<Schema extends ToolSchema = JsonObject> {
  /** 1 to 128 characters. What a provider refuses in a name is encoded for it (R83). */
  readonly name: string;
  /** For the model: what the tool does, and when to use it. */
  readonly description: string;
  /** @default no arguments */
  readonly input?: Schema;
  /** The JSON Schema that is offered, for a Standard Schema whose vendor does not tell it. */
  readonly inputSchema?: JsonObject;
  /** What a second run of one call means (R75). @default 'unsafe' */
  readonly effect?: ToolEffect;
  /** One attempt. Seconds. @default settings.defaultToolTimeout (600) */
  readonly timeoutSeconds?: number;
  /** A task queue of its own, served by workers that can run it. @default the loop's */
  readonly taskQueue?: string;
  /** @default the agent's `onToolError` */
  readonly onError?: 'tell-model' | 'fail';
  /** A string is the result as it is; parts with images are shown to models that see; anything else is told as JSON. */
  readonly run: (input: ToolInput<Schema>, context: ToolContext) => unknown;
  /** Asked where an unsafe call started and left no result: may say that it happened, with its result (R75). */
  readonly reconcile?: (context: ReconcileContext<ToolInput<Schema>>) => ReconcileAnswer | Promise<ReconcileAnswer>;
}

export interface ReconcileContext<Input> {
  readonly idempotencyKey: string;
  readonly input: Input;
  readonly loop: Loop;
  readonly signal: AbortSignal;
}

/** @throws ConfigError that names the tool, the field, and what to do */
export function defineTool<const Schema extends ToolSchema = JsonObject>(definition: TypedToolDefinition<Schema>): ToolDefinition {
  assertToolFields(definition);
  const inputSchema = inTool(definition.name, 'input', () => offeredSchema(definition));
  const check = inTool(definition.name, 'input', () => inputCheck(definition, inputSchema));
  const { name, description, run, reconcile, timeoutSeconds, taskQueue, onError } = definition;
  return Object.freeze({
    name,
    description,
    inputSchema,
    effect: definition.effect ?? 'unsafe',
    ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
    ...(taskQueue === undefined ? {} : { taskQueue }),
    ...(onError === undefined ? {} : { onError }),
    source: sourceOf(run),
    run: async (input: JsonObject, context: ToolContext): Promise<unknown> => {
      const checked = await check(input);
      if (!checked.ok) throw new ArgumentsRefused(name, checked.issues);
      return run(checked.value, context);
    },
    ...(reconcile === undefined ? {} : { reconcile: reconcileWith(check, reconcile) }),
  });
}

type InputCheck<Input> = (input: JsonObject) => Promise<CheckedValue<Input>>;

function reconcileWith<Input>(
  check: InputCheck<Input>,
  reconcile: (context: ReconcileContext<Input>) => ReconcileAnswer | Promise<ReconcileAnswer>,
): NonNullable<ToolDefinition['reconcile']> {
  return async ({ input, ...context }) => {
    const checked = await check(input);
    return checked.ok ? reconcile({ ...context, input: checked.value }) : { happened: false };
  };
}

/** What the author wrote, for the definition's hash: the function that is handed on is ours. */
const sourceOf = (run: unknown): string => Function.prototype.toString.call(run);

function offeredSchema<Schema extends ToolSchema>({ input, inputSchema }: TypedToolDefinition<Schema>): JsonObject {
  const schema = inputSchema ?? (isStandardSchema(input) ? toInputJsonSchema(input) : (input ?? EMPTY_OBJECT_SCHEMA));
  if (!isPlainObject(schema)) throw new SolidLoopError('ConfigError', 'must be a Standard Schema (zod …) or a JSON Schema object');
  if (schema.type !== 'object') {
    throw new SolidLoopError(
      'ConfigError',
      `must describe an object, since models send arguments as one; its type is ${JSON.stringify(schema.type)}. Wrap it: { value: … }`,
    );
  }
  return schema;
}

function inputCheck<Schema extends ToolSchema>(
  { input }: TypedToolDefinition<Schema>,
  inputSchema: JsonObject,
): InputCheck<ToolInput<Schema>> {
  const check = compileJsonSchema(inputSchema);
  if (isStandardSchema(input)) return (value) => checkWithStandardSchema(input as StandardSchemaV1<unknown, ToolInput<Schema>>, value);
  return async (value) => {
    const issues = check(value);
    return issues.length === 0 ? { ok: true, value: value as ToolInput<Schema> } : { ok: false, issues };
  };
}

function inTool<Result>(name: string, field: string, build: () => Result): Result {
  try {
    return build();
  } catch (error) {
    if (!isSolidLoopError(error, 'ConfigError')) throw error;
    throw new SolidLoopError('ConfigError', `tool "${name}": ${field}: ${error.message}`, { cause: error, field });
  }
}
