import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { createAssistant } from '../../../examples/assistant';
import { createExampleAgents } from '../../../examples/agents';
import { arithmeticTools } from '../../../examples/tools/arithmetic';
import { currentTime } from '../../../examples/tools/current-time';
import { createFileTools } from '../../../examples/tools/files';
import type { ToolContext, ToolDefinition } from '../../../src/agents/tool';
import type { JsonObject } from '../../../src/domain/loop';
import { anyLoop } from '../../support/any-loop';

const context: ToolContext = {
  signal: new AbortController().signal,
  idempotencyKey: 'k',
  heartbeat: () => undefined,
  loop: anyLoop(),
  agentName: 'assistant',
  principal: undefined,
  state: {},
  setState: () => undefined,
  startLoop: async () => {
    throw new Error('no tool here starts a loop');
  },
};

function call(tools: readonly ToolDefinition[], name: string, input: JsonObject, of = context): Promise<unknown> {
  const tool = tools.find((candidate) => candidate.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return tool.run(input, of);
}

describe('the arithmetic tools', () => {
  it.each([
    ['add', 17, 25, '42'],
    ['add', 0.1, 0.2, '0.3'],
    ['subtract', 9, 4, '5'],
    ['multiply', 12, 12, '144'],
    ['divide', 7, 2, '3.5'],
    ['divide', -1, 3, '-0.333333333333333'],
  ])('%s %d and %d', async (name, a, b, result) => {
    await expect(call(arithmeticTools, name, { a, b })).resolves.toBe(result);
  });

  it('say what has no result', async () => {
    await expect(call(arithmeticTools, 'divide', { a: 1, b: 0 })).rejects.toThrow('division by zero has no result');
    await expect(call(arithmeticTools, 'multiply', { a: 1e308, b: 10 })).rejects.toThrow('too large');
  });
});

describe('current_time', () => {
  it('tells the time of a zone, and of UTC without one', async () => {
    await expect(call([currentTime], 'current_time', { timeZone: 'Asia/Tokyo' })).resolves.toMatch(
      /\d{4}.*\d{2}:\d{2}:\d{2} \(Asia\/Tokyo\)$/,
    );
    await expect(call([currentTime], 'current_time', {})).resolves.toMatch(/\(UTC\)$/);
    await expect(call([currentTime], 'current_time', { timeZone: 'Moon/Base' })).rejects.toThrow('there is no time zone "Moon/Base"');
  });
});

describe('the file tools', () => {
  let root: string;
  let tools: readonly ToolDefinition[];

  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'tools-'));
    mkdirSync(join(root, 'notes'));
    writeFileSync(join(root, 'read me.md'), 'One line.\nAnother LINE, with lines.\n');
    writeFileSync(join(root, 'notes', 'list.txt'), 'nothing here\n');
    writeFileSync(join(root, 'picture.png'), Buffer.from([0x89, 0x50, 0, 1]));
    writeFileSync(join(root, 'empty.txt'), '');
    writeFileSync(join(root, 'long.txt'), '漢😀é'.repeat(20_000));
    tools = createFileTools(root);
  });

  afterAll(() => rmSync(root, { recursive: true, force: true }));

  it('list_files shows files and folders', async () => {
    await expect(call(tools, 'list_files', {})).resolves.toBe('empty.txt\nlong.txt\nnotes/\npicture.png\nread me.md');
    await expect(call(tools, 'list_files', { path: 'notes' })).resolves.toBe('notes/list.txt');
    await expect(call(tools, 'list_files', { path: '../' })).rejects.toThrow('leads out');
  });

  it('read_file reads text, and nothing else', async () => {
    await expect(call(tools, 'read_file', { path: 'read me.md' })).resolves.toBe('One line.\nAnother LINE, with lines.\n');
    await expect(call(tools, 'read_file', { path: 'empty.txt' })).resolves.toBe('');
    await expect(call(tools, 'read_file', { path: 'picture.png' })).rejects.toThrow('"picture.png" is not a text file');
    await expect(call(tools, 'read_file', { path: '/etc/hostname' })).rejects.toThrow('is absolute');
  });

  it('P82: read_file reads a long file on, part by part, and cuts no character', async () => {
    const parts: string[] = [];
    for (let fromByte: number | undefined = 0; fromByte !== undefined;) {
      const part = String(await call(tools, 'read_file', { path: 'long.txt', fromByte }));
      const note = /\n\(180000 bytes in all; to read on: fromByte (\d+)\)$/.exec(part);
      parts.push(note === null ? part : part.slice(0, note.index));
      fromByte = note?.[1] === undefined ? undefined : Number(note[1]);
    }

    expect(parts.length).toBe(6);
    expect(parts.join('')).toBe('漢😀é'.repeat(20_000));
  });

  it('search_files finds lines, upper and lower case alike', async () => {
    await expect(call(tools, 'search_files', { text: 'LINE' })).resolves.toBe(
      'read me.md:1: One line.\nread me.md:2: Another LINE, with lines.',
    );
    await expect(call(tools, 'search_files', { text: 'here', path: 'notes' })).resolves.toBe('notes/list.txt:1: nothing here');
    await expect(call(tools, 'search_files', { text: 'absent' })).resolves.toBe('no file has "absent"');
  });

  it('search_files ends when it is aborted', async () => {
    const aborted = { ...context, signal: AbortSignal.abort(new Error('stopped')) };

    await expect(call(tools, 'search_files', { text: 'x' }, aborted)).rejects.toThrow('stopped');
  });

  it('read_file takes any start without failing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 200_000 }), async (fromByte) => {
        expect(typeof (await call(tools, 'read_file', { path: 'long.txt', fromByte }))).toBe('string');
      }),
      { numRuns: 50 },
    );
  });
});

describe('the example agents', () => {
  const model = { name: 'm', parameters: { seed: 1 } };
  const toolNames = (isSmall: boolean): readonly string[] => (createAssistant({ model, isSmall }).tools ?? []).map(({ name }) => name);

  it('give a small model arithmetic and the time alone, short answers and no chance', () => {
    expect(toolNames(true)).toEqual(['add', 'subtract', 'multiply', 'divide', 'current_time']);
    expect(createAssistant({ model, isSmall: true }).model).toEqual({
      name: 'm',
      parameters: { temperature: 0, max_tokens: 128, seed: 1 },
    });
  });

  it('give a model that can the files too', () => {
    expect(toolNames(false)).toEqual(['add', 'subtract', 'multiply', 'divide', 'current_time', 'list_files', 'read_file', 'search_files']);
    expect(createExampleAgents({ model, isSmall: false }).map(({ name }) => name)).toEqual(['assistant', 'librarian']);
  });
});
