import type { StandardSchemaV1 } from '@standard-schema/spec';
import { z } from 'zod';
import { ArgumentsRefused } from '../../../src/agents/arguments-refused';
import { defineTool } from '../../../src/agents/define-tool';
import type { ToolContext } from '../../../src/agents/tool';
import type { JsonObject, Loop } from '../../../src/domain/loop';
import { anyLoop } from '../../support/any-loop';

const context: ToolContext = {
  signal: new AbortController().signal,
  idempotencyKey: 'solid_loop:tool_call:1',
  heartbeat: () => undefined,
  loop: anyLoop(),
  agentName: 'helper',
  principal: undefined,
  state: {},
  setState: () => undefined,
  startLoop: async () => {
    throw new Error('no tool here starts a loop');
  },
};

/** A schema of another vendor: nothing but what the standard asks for. */
const evenNumber: StandardSchemaV1<{ readonly n: number }, number> = {
  '~standard': {
    version: 1,
    vendor: 'home-made',
    validate: (value) => {
      const { n } = value as { readonly n: number };
      return n % 2 === 0 ? { value: n } : { issues: [{ message: 'must be even', path: ['n'] }] };
    },
  },
};

describe('defineTool', () => {
  it('offers what the model is to send: defaults stay optional, transforms show their input', () => {
    const tool = defineTool({
      name: 'find_book',
      description: 'Finds a book.',
      input: z.object({
        title: z.string().describe('Its title'),
        limit: z.number().default(3),
        year: z.string().transform(Number).optional(),
      }),
      run: () => 'found',
    });

    expect(tool.inputSchema).toEqual({
      type: 'object',
      properties: { title: { type: 'string', description: 'Its title' }, limit: { type: 'number', default: 3 }, year: { type: 'string' } },
      required: ['title'],
    });
  });

  it('gives the body its defaults and transforms', async () => {
    const tool = defineTool({
      name: 'echo',
      description: 'Echoes.',
      input: z.object({ text: z.string().transform((text) => text.length), times: z.number().default(2) }),
      run: (input) => input,
    });

    await expect(tool.run({ text: 'abcd' }, context)).resolves.toEqual({ text: 4, times: 2 });
  });

  it('R39: refuses arguments that the schema refuses, with the path and the reason', async () => {
    const tool = defineTool({
      name: 'lend',
      description: 'Lends.',
      input: z.object({ books: z.array(z.object({ title: z.string() })) }),
      run: () => 'lent',
    });

    const refused = tool.run({ books: [{ title: 5 }] }, context);

    await expect(refused).rejects.toBeInstanceOf(ArgumentsRefused);
    await expect(refused).rejects.toThrow(/the arguments of "lend" do not fit its schema: books\[0\]\.title: .*string/);
  });

  it('takes a plain JSON Schema, and checks arguments against it', async () => {
    const tool = defineTool({
      name: 'add',
      description: 'Adds.',
      input: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'], additionalProperties: false },
      run: ({ a }) => a,
    });

    await expect(tool.run({ a: 4 }, context)).resolves.toBe(4);
    await expect(tool.run({ b: 4 }, context)).rejects.toThrow(
      /must have required property 'a'; must NOT have additional properties \("b"\)/,
    );
  });

  it('takes a schema of another vendor with its JSON Schema beside it', async () => {
    const inputSchema: JsonObject = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
    const tool = defineTool({ name: 'half', description: 'Halves.', input: evenNumber, inputSchema, run: (n) => n / 2 });

    expect(tool.inputSchema).toEqual(inputSchema);
    await expect(tool.run({ n: 8 }, context)).resolves.toBe(4);
    await expect(tool.run({ n: 7 }, context)).rejects.toThrow(/n: must be even/);
  });

  it('asks a schema of another vendor for its JSON Schema where it can tell it', () => {
    const asked: unknown[] = [];
    const telling = {
      '~standard': {
        ...evenNumber['~standard'],
        jsonSchema: { input: (options: unknown) => (asked.push(options), { $schema: 'draft', type: 'object' }), output: () => ({}) },
      },
    };

    expect(defineTool({ name: 'half', description: 'Halves.', input: telling, run: () => 1 }).inputSchema).toEqual({ type: 'object' });
    expect(asked).toEqual([{ target: 'draft-2020-12' }]);
  });

  it('takes no input at all', async () => {
    const tool = defineTool({ name: 'now', description: 'The time.', run: () => 'noon' });

    expect(tool.inputSchema).toEqual({ type: 'object', properties: {} });
    await expect(tool.run({}, context)).resolves.toBe('noon');
  });

  it('R75: is unsafe unless it says otherwise', () => {
    expect(defineTool({ name: 'pay', description: 'Pays.', run: () => 1 }).effect).toBe('unsafe');
    expect(defineTool({ name: 'look', description: 'Looks.', effect: 'read', run: () => 1 }).effect).toBe('read');
  });

  it('R75: gives reconcile the checked input, and knows nothing where the input does not fit', async () => {
    const loop: Loop = anyLoop();
    const tool = defineTool({
      name: 'pay',
      description: 'Pays.',
      input: z.object({ amount: z.string().transform(Number) }),
      run: () => 1,
      reconcile: ({ input, idempotencyKey }) => ({ happened: true, result: `${idempotencyKey} ${input.amount + 1}` }),
    });
    const asked = { idempotencyKey: 'k', loop, signal: context.signal };

    await expect(tool.reconcile?.({ ...asked, input: { amount: '4' } })).resolves.toEqual({ happened: true, result: 'k 5' });
    await expect(tool.reconcile?.({ ...asked, input: {} })).resolves.toEqual({ happened: false });
  });

  describe('names the tool, the field, the value and what to do where it refuses', () => {
    const good = { name: 'add', description: 'Adds.', run: () => 1 };
    const cases: readonly (readonly [string, unknown, RegExp])[] = [
      ['no name', { ...good, name: undefined }, /^a tool: name must be 1 to 128 printable characters/],
      [
        'a name with a line break',
        { ...good, name: 'a\nb' },
        /name must be 1 to 128 printable characters without blanks at its ends; got "a\\nb"/,
      ],
      ['no description', { ...good, description: ' ' }, /^tool "add": description must be text that is not empty; got " "/],
      ['a wrong effect', { ...good, effect: 'write' }, /^tool "add": effect must be one of: "read", "idempotent", "unsafe"; got "write"/],
      ['a wrong time limit', { ...good, timeoutSeconds: 0 }, /timeoutSeconds must be a positive number of seconds; got 0/],
      ['no body', { ...good, run: 'run' }, /run must be a function; got "run"/],
      ['a misspelled field', { ...good, inputs: {} }, /has no field "inputs"; the fields are: name, description, effect/],
      ['a list as schema', { ...good, input: [] }, /input: must be a Standard Schema \(zod …\) or a JSON Schema object/],
      ['a schema that is no object', { ...good, input: z.string() }, /input: must describe an object, .* its type is "string"\. Wrap it/],
      [
        'a union at the top',
        { ...good, input: z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]) },
        /must describe an object/,
      ],
      [
        'a date',
        { ...good, input: z.object({ at: z.date() }) },
        /cannot be written as JSON Schema: Date cannot be represented.*; use types that JSON has/,
      ],
      [
        'a vendor that tells no JSON Schema',
        { ...good, input: evenNumber },
        /a schema of "home-made" does not tell its JSON Schema; give it beside, as inputSchema/,
      ],
      [
        'a JSON Schema that cannot be compiled',
        { ...good, input: { type: 'object', properties: { a: { type: 'nothing' } } } },
        /not a usable JSON Schema/,
      ],
    ];

    it.each(cases)('%s', (_name, definition, message) => {
      expect(() => defineTool(definition as typeof good)).toThrow(message);
      expect(() => defineTool(definition as typeof good)).toThrow(expect.objectContaining({ code: 'ConfigError' }) as Error);
    });
  });
});
