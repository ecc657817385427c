// The embedded small model, real: what is pinned here is what a first run shows.

import OpenAI from 'openai';
import { arithmeticTools } from '../../examples/tools/arithmetic';
import { currentUtcTime } from '../../examples/tools/current-time';
import { readDevEnvironment } from '../../src/config/dev-environment';
import type { ModelEndpoint } from '../../src/dev/model-endpoint';
import { startModelServer } from '../../src/dev/model-server';
import type { ManagedProcess } from '../../src/util/managed-process';
import { runToolLoop, type ToolLoop } from '../support/tool-loop';
import { createTemporaryFolder } from '../support/temporary-folder';

const FETCH_TIMEOUT_MS = 300_000;
// A turn takes 2 s on an idle core, and many times that beside other test files.
jest.setTimeout(180_000);
const TOOLS = [...arithmeticTools, currentUtcTime];

describe('the embedded model', () => {
  const folder = createTemporaryFolder();
  let server: ManagedProcess | undefined;
  let endpoint: ModelEndpoint;
  let openai: OpenAI;

  beforeAll(async () => {
    endpoint = await startModelServer({
      environment: { ...readDevEnvironment(), smallModelFile: undefined },
      dataFolder: folder.path,
      cacheFolder: '.cache',
      print: (line) => process.stderr.write(`${line}\n`),
      onProcess: async (started) => void (server = started),
    });
    openai = new OpenAI({ baseURL: endpoint.baseURL, apiKey: 'none' });
  }, FETCH_TIMEOUT_MS);
  afterAll(async () => {
    await server?.stop();
    folder.remove();
  });

  const run = async (prompt: string): Promise<ToolLoop> =>
    (await runToolLoop({ openai, model: endpoint.model, prompt, tools: TOOLS })).loop;

  it('says that it is small', () => {
    expect(endpoint).toMatchObject({ kind: 'embedded', model: 'smollm2-135m', isSmall: true });
    expect(endpoint.note).toContain('very small');
  });

  it.each([
    ['What is 17 plus 25?', 'add', { a: 17, b: 25 }, 'The tool says: 42'],
    ['What is 6 times 7?', 'multiply', { a: 6, b: 7 }, 'The tool says: 42'],
    ['What is 100 minus 58?', 'subtract', { a: 100, b: 58 }, 'The tool says: 42'],
    ['What is 84 divided by 2?', 'divide', { a: 84, b: 2 }, 'The tool says: 42'],
  ])('%s: one call, its result, the answer', async (prompt, name, input, answer) => {
    expect(await run(prompt)).toEqual({ calls: [{ name, input }], answer, finishReasons: ['tool_calls', 'stop'] });
  });

  it('What time is it? One call without arguments, and the time in the answer', async () => {
    const { calls, answer } = await run('What time is it?');
    expect(calls).toEqual([{ name: 'current_time', input: {} }]);
    expect(answer).toContain(String(new Date().getUTCFullYear()));
  });

  it.each(['Hello!', 'What is the capital of France?'])('%s: an answer without a tool', async (prompt) => {
    expect(await run(prompt)).toMatchObject({ calls: [], finishReasons: ['stop'] });
  });

  it('answers the same at every run', async () => {
    const [first, second] = [await run('Why is the sky blue?'), await run('Why is the sky blue?')];
    expect(first.answer).not.toBe('');
    expect(second).toEqual(first);
  });

  it('goes on with the conversation', async () => {
    const first = await runToolLoop({ openai, model: endpoint.model, prompt: 'What is 17 plus 25?', tools: TOOLS });
    const second = await runToolLoop({
      openai,
      model: endpoint.model,
      prompt: 'What is 6 times 7?',
      tools: TOOLS,
      history: first.messages,
    });
    const { calls, answer } = second.loop;
    expect(calls).toEqual([{ name: 'multiply', input: { a: 6, b: 7 } }]);
    expect(answer).toBe('The tool says: 42');
  });

  it('is gone as soon as it is stopped', async () => {
    await server?.stop();
    expect(server?.end()).toEqual({ code: null, signal: 'SIGKILL' });
    await expect(fetch(`${endpoint.baseURL}/models`)).rejects.toThrow('fetch failed');
  });
});
