/** Runs the network call and the parsing of one turn against a scripted model, over a real socket, and shows all that came of it. */

import type { Agent, ModelSettings } from '../../../../../src/agents/agent';
import { MiddlewareStack } from '../../../../../src/agents/middleware-stack';
import type { LlmContext, LlmMiddleware } from '../../../../../src/agents/middleware';
import type { JsonObject } from '../../../../../src/domain/loop';
import { DEFAULT_SETTINGS, type EngineSettings } from '../../../../../src/domain/settings';
import type { TurnAnswer } from '../../../../../src/domain/turn';
import { toId } from '../../../../../src/domain/ids';
import { ProviderError } from '../../../../../src/llm/errors/provider-error';
import { networkCalling } from '../../../../../src/llm/middleware/network-calling';
import { responseParsing } from '../../../../../src/llm/middleware/response-parsing';
import { EndpointClients } from '../../../../../src/llm/network/endpoint-clients';
import { SchemaChecks } from '../../../../../src/llm/parsing/schema-checks';
import type { LivePart, LlmPorts, WireOutcome, WireRequest } from '../../../../../src/llm/ports';
import type { ScriptedModel } from '../../../../../src/testing/scripted-model';
import { anyLoop } from '../../../../support/any-loop';
import { tool } from '../../support/transcript';

export interface TurnOptions {
  readonly tools?: Readonly<Record<string, JsonObject>>;
  readonly model?: Partial<ModelSettings>;
  readonly agent?: Partial<Agent>;
  readonly request?: Record<string, unknown>;
  readonly turnFailures?: number;
  readonly settings?: Partial<EngineSettings>;
  readonly signal?: AbortSignal;
  readonly before?: LlmMiddleware;
  readonly onPart?: (part: LivePart) => void;
}

export interface WireTurn {
  readonly answer: TurnAnswer;
  readonly context: LlmContext;
  readonly parts: readonly LivePart[];
  readonly text: string;
  readonly reasoning: string;
  readonly shells: readonly { readonly content: string; readonly reasoning: string }[];
  readonly wire: readonly { readonly request: WireRequest; readonly outcome: WireOutcome | undefined }[];
}

/** One for a test file: connections and compiled schemas outlive a turn, as in a worker. */
export class WireTurns {
  readonly clients = new EndpointClients();
  readonly schemas = new SchemaChecks();
  readonly parts: LivePart[] = [];
  readonly shells: { content: string; reasoning: string }[] = [];
  readonly wire: { request: WireRequest; outcome: WireOutcome | undefined }[] = [];

  constructor(readonly scripted: ScriptedModel) {}

  async run(options: TurnOptions = {}): Promise<WireTurn> {
    for (const list of [this.parts, this.shells, this.wire]) list.length = 0;
    const context = this.#context(options);
    const ports = this.#ports(options);
    const entries = [
      { name: 'network-calling', middleware: networkCalling(ports, this.clients) },
      ...(options.before === undefined ? [] : [{ name: 'before', middleware: options.before }]),
      { name: 'response-parsing', middleware: responseParsing(ports, this.schemas) },
    ];
    await new MiddlewareStack<LlmContext>(entries).run(context, context.guard);
    if (context.answer === undefined) throw new Error('the stack made no answer');
    return {
      answer: context.answer,
      context,
      parts: this.parts,
      text: this.#told('text-delta'),
      reasoning: this.#told('reasoning-delta'),
      shells: this.shells,
      wire: this.wire,
    };
  }

  /** The error that the turn ends with. */
  async fail(options: TurnOptions = {}): Promise<ProviderError> {
    const error: unknown = await this.run(options).then(
      (turn) => new Error(`the turn was expected to fail, and answered ${JSON.stringify(turn.answer)}`),
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof ProviderError)) throw error;
    return error;
  }

  #told(type: LivePart['type']): string {
    return this.parts.map((part) => (part.type === type && 'text' in part ? part.text : '')).join('');
  }

  #context(options: TurnOptions): LlmContext {
    const model: ModelSettings = { name: 'asked-model', baseURL: this.scripted.baseURL, apiKey: 'key', ...options.model };
    const signal = options.signal ?? new AbortController().signal;
    let isSettled = false;
    const guard = { signal, assertHeld: () => (isSettled ? undefined : signal.throwIfAborted()), settle: () => void (isSettled = true) };
    const tools = Object.entries(options.tools ?? {}).map(([name, inputSchema]) => ({
      exposedName: name,
      tool: tool(name, { inputSchema, effect: 'unsafe' }),
    }));
    return {
      loop: anyLoop({ turnFailures: options.turnFailures ?? 0 }),
      agent: { name: 'wired', model, definitionHash: 'hash', ...options.agent },
      turnNumber: 1,
      generation: toId('1'),
      guard,
      model,
      instructions: undefined,
      tools,
      transcript: [],
      request: { model: model.name, stream: true, messages: [{ role: 'user', content: 'hello' }], ...options.request },
      rawMessage: undefined,
      finishReason: undefined,
      answer: undefined,
      failure: undefined,
      metadata: {},
    };
  }

  #ports(options: TurnOptions): LlmPorts {
    return {
      settings: { ...DEFAULT_SETTINGS, ...options.settings },
      live: { push: (part) => (this.parts.push(part), options.onPart?.(part)) },
      shell: { update: (text) => void this.shells.push(text) },
      wire: {
        start: async (request) => {
          const event: (typeof this.wire)[number] = { request, outcome: undefined };
          this.wire.push(event);
          return async (outcome) => void (event.outcome = outcome);
        },
      },
      memory: { get: () => ({}), learn: () => undefined },
      onProgress: () => undefined,
      now: () => performance.now(),
    };
  }
}

export const OBJECT_SCHEMA: JsonObject = { type: 'object', properties: {} };
