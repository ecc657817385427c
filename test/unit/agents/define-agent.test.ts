import { z } from 'zod';
import type { AgentDefinition } from '../../../src/agents/agent';
import { defineAgent } from '../../../src/agents/define-agent';
import { defineConfig, type SolidLoopConfig } from '../../../src/agents/define-config';
import { defineTool } from '../../../src/agents/define-tool';
import { AgentRegistry } from '../../../src/agents/registry';
import { DEFAULT_SETTINGS } from '../../../src/domain/settings';

const minimal: AgentDefinition = { name: 'helper', model: { name: 'gpt-5' } };
const add = defineTool({ name: 'add', description: 'Adds.', input: z.object({ a: z.number() }), effect: 'read', run: ({ a }) => a });

const whole: AgentDefinition = {
  name: 'librarian',
  model: {
    name: 'gpt-5',
    baseURL: 'https://models.example/v1',
    apiKey: 'secret-key',
    headers: { 'x-team': 'books' },
    api: 'chat',
    readTimeoutSeconds: 300,
    stream: true,
    parameters: { temperature: 0 },
    price: { inputPerMillion: '1.25', outputPerMillion: '10', cachedInputPerMillion: '0.125' },
    quirks: { callIds: 'any' },
  },
  fallbacks: [{ model: { name: 'gpt-5-mini' }, on: ['overloaded'] }],
  instructions: ({ loop }) => `You help ${loop.subject?.id ?? 'anybody'}.`,
  tools: [add],
  mcp: [{ name: 'files', url: 'http://files.example', timeoutSeconds: 60, allow: ['read_*'] }],
  toolCalls: 'sequential',
  maxParallelToolCalls: 4,
  maxCallsPerTurn: 20,
  turnTimeoutSeconds: 7200,
  limits: { steps: 50, tokens: 100_000, costUsd: '2.00', durationSeconds: 86_400 },
  principal: ({ loop }) => loop.subject?.id,
  hooks: { onMessageCreated: () => undefined },
  middleware: { tools: (stack) => stack },
  onToolError: 'tell-model',
  context: { kind: 'drop-oldest', at: 0.8, keepTurns: 4 },
  output: { name: 'report', schema: z.object({ title: z.string() }) },
  maxToolResultChars: 10_000,
  textToolCalls: false,
};

describe('defineAgent', () => {
  it('takes the least and the most that an agent can say', () => {
    expect(defineAgent(minimal)).toMatchObject(minimal);
    expect(defineAgent(whole)).toMatchObject({ name: 'librarian', toolCalls: 'sequential' });
  });

  describe('names the agent, the field, the value and what to do where it refuses', () => {
    const cases: readonly (readonly [string, unknown, RegExp])[] = [
      ['nothing', undefined, /^an agent is missing/],
      ['no name', { model: { name: 'm' } }, /^an agent: name must be 1 to 64 letters/],
      [
        'a name with a blank',
        { ...minimal, name: 'my helper' },
        /^agent "my helper": name must be 1 to 64 letters, digits, "_", "-" or "\."; got "my helper"/,
      ],
      ['no model', { name: 'helper' }, /^agent "helper": model is missing/],
      ['a model by its name only', { ...minimal, model: 'gpt-5' }, /^agent "helper": model must be an object; got "gpt-5"/],
      [
        'a base url that is none',
        { ...minimal, model: { name: 'm', baseURL: 'localhost:8080' } },
        /model\.baseURL must be an http or https url; got "localhost:8080"/,
      ],
      [
        'a price as a number',
        { ...minimal, model: { name: 'm', price: { inputPerMillion: 1.25, outputPerMillion: '1' } } },
        /model\.price\.inputPerMillion must be an exact decimal as text/,
      ],
      [
        'a field that the engine fills',
        { ...minimal, model: { name: 'm', parameters: { messages: [] } } },
        /model\.parameters may not hold model, messages, tools, stream/,
      ],
      [
        'an ai-sdk model without its object',
        { ...minimal, model: { name: 'm', api: 'ai-sdk' } },
        /model must have languageModel where api is "ai-sdk"/,
      ],
      [
        'a misspelled field',
        { ...minimal, instruction: 'x' },
        /^agent "helper" has no field "instruction"; the fields are: name, model, fallbacks, instructions/,
      ],
      [
        'a misspelled field of the model',
        { ...minimal, model: { name: 'm', url: 'x' } },
        /^agent "helper": model has no field "url"; the fields are: name, baseURL/,
      ],
      ['a limit of nought', { ...minimal, limits: { steps: 0 } }, /limits\.steps must be a positive whole number; got 0/],
      [
        'a cost as a number',
        { ...minimal, limits: { costUsd: 2 } },
        /limits\.costUsd must be an exact decimal as text, such as "2\.50".*; got 2$/,
      ],
      [
        'a tool that defineTool did not make',
        { ...minimal, tools: [{ name: 'add', description: 'x', run: () => 1 }] },
        /agent "helper": tool "add": effect must be one of/,
      ],
      ['two tools of one name', { ...minimal, tools: [add, add] }, /tools holds "add" twice; give each a name of its own/],
      [
        'too many tools',
        { ...minimal, tools: Array.from({ length: 129 }, (_, n) => ({ ...add, name: `add_${n}` })) },
        /tools may hold at most 128 tools/,
      ],
      [
        'an MCP server with two ways to it',
        { ...minimal, mcp: [{ name: 'f', url: 'http://a.example', command: 'b' }] },
        /mcp\.0 must have exactly one of url, command, toolset, transport/,
      ],
      [
        'two MCP servers of one name',
        {
          ...minimal,
          mcp: [
            { name: 'f', command: 'b' },
            { name: 'f', command: 'c' },
          ],
        },
        /mcp holds "f" twice/,
      ],
      [
        'an unknown hook',
        { ...minimal, hooks: { onMessage: () => undefined } },
        /hooks has no field "onMessage"; the fields are: onMessageCreated/,
      ],
      ['an output schema that is none', { ...minimal, output: { name: 'o', schema: 5 } }, /output\.schema: must be a Standard Schema/],
      ['too small a cut', { ...minimal, maxToolResultChars: 10 }, /maxToolResultChars must be at least 1000; got 10/],
    ];

    it.each(cases)('%s', (_name, definition, message) => {
      expect(() => defineAgent(definition as AgentDefinition)).toThrow(message);
      expect(() => defineAgent(definition as AgentDefinition)).toThrow(expect.objectContaining({ code: 'ConfigError' }) as Error);
    });
  });

  it('never shows a key or a header in an error', () => {
    const withKey = { ...minimal, model: { name: 'm', apiKey: 12345678 } } as unknown as AgentDefinition;
    const withHeader = { ...minimal, model: { name: 'm', headers: { authorization: 'Bearer top\nsecret' } } };

    expect(() => defineAgent(withKey)).toThrow(/model\.apiKey must be a string; its value is not shown$/);
    expect(() => defineAgent(withHeader)).toThrow(
      /model\.headers must be an object of header names and texts without line breaks; its value is not shown$/,
    );
  });
});

describe('the definition hash', () => {
  const hashOf = (definition: AgentDefinition): string => defineAgent(definition).definitionHash;

  it('is the same for the same definition, whatever the order of its fields', () => {
    const { name, model, ...rest } = whole;

    expect(hashOf(whole)).toMatch(/^[0-9a-f]{64}$/);
    expect(hashOf({ ...rest, model, name })).toBe(hashOf(whole));
  });

  it.each<readonly [string, Partial<AgentDefinition>]>([
    ['the name', { name: 'other' }],
    ['the model', { model: { name: 'gpt-6' } }],
    ['instructions', { instructions: 'Be brief.' }],
    ['the source of a function', { instructions: () => 'Be brief.' }],
    ['a limit', { limits: { steps: 51 } }],
    [
      'a tool’s body',
      {
        tools: [
          defineTool({ name: 'add', description: 'Adds.', input: z.object({ a: z.number() }), effect: 'read', run: ({ a }) => a + 1 }),
        ],
      },
    ],
    [
      'a tool’s schema',
      { tools: [defineTool({ name: 'add', description: 'Adds.', input: z.object({ a: z.string() }), effect: 'read', run: ({ a }) => a })] },
    ],
    ['a tool’s effect', { tools: [{ ...add, effect: 'unsafe' }] }],
  ])('changes with %s', (_what, change) => {
    expect(hashOf({ ...whole, ...change })).not.toBe(hashOf(whole));
  });

  it('does not change with a key, a price or a timeout', () => {
    const model = {
      ...(whole.model as object),
      apiKey: 'another',
      price: { inputPerMillion: '9', outputPerMillion: '9' },
      readTimeoutSeconds: 5,
      name: 'gpt-5',
    };

    expect(hashOf({ ...whole, model })).toBe(hashOf(whole));
  });
});

describe('defineConfig', () => {
  const helper = defineAgent(minimal);

  it('takes agents, stack changes, settings and addresses', () => {
    const config = defineConfig({
      agents: [helper],
      settings: { leaseMargin: 90 },
      temporal: { taskQueue: 'books' },
      database: { poolSize: 5 },
    });

    expect(config.agents).toEqual([helper]);
  });

  it('R13: refuses a setting that is no positive whole number, with its name', () => {
    for (const name of Object.keys(DEFAULT_SETTINGS)) {
      for (const value of [0, -1, 1.5, Number.NaN, '60']) {
        expect(() => defineConfig({ agents: [], settings: { [name]: value } })).toThrow(
          new RegExp(`settings\\.${name} must be a positive whole number; got`),
        );
      }
    }
  });

  it.each<readonly [string, unknown, RegExp]>([
    ['two agents of one name', { agents: [helper, defineAgent(minimal)] }, /agents holds "helper" twice/],
    ['an agent that was not defined', { agents: [minimal] }, /agent "helper" was not made by defineAgent; wrap it/],
    ['a fate that is none', { agents: [], onTerminated: 'forget' }, /onTerminated/],
    ['no agents', {}, /the config: agents is missing/],
    ['an unknown field', { agents: [], agent: helper }, /the config has no field "agent"; the fields are: agents, middleware/],
    [
      'an unknown setting',
      { agents: [], settings: { leaseMargins: 1 } },
      /settings has no field "leaseMargins"; the fields are: leaseMargin/,
    ],
  ])('refuses %s', (_what, config, message) => {
    expect(() => defineConfig(config as SolidLoopConfig)).toThrow(message);
  });
});

describe('AgentRegistry', () => {
  const registry = new AgentRegistry([defineAgent(minimal), defineAgent(whole)]);

  it('finds agents by name', () => {
    expect(registry.find('helper')?.name).toBe('helper');
    expect(registry.find('nobody')).toBeUndefined();
    expect(registry.names).toEqual(['helper', 'librarian']);
  });

  it('R46: says which agents are known where one is not', () => {
    expect(() => registry.get('nobody')).toThrow('no agent is named "nobody"; there are: helper, librarian');
    expect(() => registry.get('nobody')).toThrow(expect.objectContaining({ code: 'UnknownAgent' }) as Error);
    expect(() => new AgentRegistry([]).get('nobody')).toThrow(/none is defined/);
  });

  it('refuses two agents of one name', () => {
    expect(() => new AgentRegistry([defineAgent(minimal), defineAgent(minimal)])).toThrow(/agents holds "helper" twice/);
  });
});
