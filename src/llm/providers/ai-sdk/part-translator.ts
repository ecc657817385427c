/** Translates the parts of an AI SDK stream, or of a whole result, into chunks of chat completions. */

import { isObject, objectAt, type ForeignObject } from '../../foreign-json';
import { AI_SDK_REASONING } from './build-ai-sdk-request';

type Chunk = Readonly<Record<string, unknown>>;

interface Thought {
  readonly index: number;
  text: string;
  metadata: unknown;
}

/** One for each response. */
export class PartTranslator {
  readonly #calls = new Map<string, { readonly index: number; hasArguments: boolean }>();
  readonly #thoughts = new Map<string, Thought>();

  /** A part of the stream. Parts that say nothing of the answer give an empty chunk. */
  translate(part: ForeignObject): Chunk {
    switch (part.type) {
      case 'text-delta':
        return delta({ content: part.delta });
      case 'reasoning-start':
      case 'reasoning-delta':
        return delta({ reasoning_content: this.#think(part) });
      case 'reasoning-end':
        return this.#endThought(part);
      case 'tool-input-start':
        return part.providerExecuted === true ? {} : this.#startCall(String(part.id), part.toolName);
      case 'tool-input-delta':
        return this.#addArguments(String(part.id), part.delta);
      case 'tool-call':
        return part.providerExecuted === true ? {} : this.#wholeCall(part);
      case 'response-metadata':
        return { id: part.id, model: part.modelId };
      case 'finish':
        return closing(part);
      default:
        return {};
    }
  }

  /** What `doGenerate` answered, as the parts that a stream of it would have had. */
  translateWhole(result: ForeignObject): readonly Chunk[] {
    const content = Array.isArray(result.content) ? result.content.filter(isObject) : [];
    const parts = content.flatMap((part, index): readonly ForeignObject[] => {
      if (part.type === 'text') return [{ type: 'text-delta', delta: part.text }];
      if (part.type !== 'reasoning') return [part];
      const id = String(index);
      return [
        { type: 'reasoning-delta', id, delta: part.text, providerMetadata: part.providerMetadata },
        { type: 'reasoning-end', id },
      ];
    });
    const metadata = objectAt(result, 'response');
    return [...parts, { type: 'response-metadata', id: metadata.id, modelId: metadata.modelId }, { ...result, type: 'finish' }].map(
      (part) => this.translate(part),
    );
  }

  #think(part: ForeignObject): string {
    const id = String(part.id);
    const thought = this.#thoughts.get(id) ?? { index: this.#thoughts.size, text: '', metadata: undefined };
    const piece = typeof part.delta === 'string' ? part.delta : '';
    thought.text += piece;
    thought.metadata = part.providerMetadata ?? thought.metadata;
    this.#thoughts.set(id, thought);
    return piece;
  }

  /** Signed thoughts go back to their provider with the message, in later turns. */
  #endThought(part: ForeignObject): Chunk {
    const thought = this.#thoughts.get(String(part.id));
    const metadata = part.providerMetadata ?? thought?.metadata;
    if (thought === undefined || metadata === undefined) return {};
    return delta({
      reasoning_details: [{ index: thought.index, type: AI_SDK_REASONING, thought: thought.text, provider_metadata: metadata }],
    });
  }

  #startCall(id: string, name: unknown, args?: unknown): Chunk {
    const call = { index: this.#calls.size, hasArguments: args !== undefined };
    this.#calls.set(id, call);
    return delta({ tool_calls: [{ index: call.index, id, type: 'function', function: { name, arguments: args ?? '' } }] });
  }

  #addArguments(id: string, piece: unknown): Chunk {
    const call = this.#calls.get(id);
    if (call === undefined) return {};
    call.hasArguments = true;
    return delta({ tool_calls: [{ index: call.index, function: { arguments: piece } }] });
  }

  /** The call comes whole after its pieces, if it came in pieces: only what was missing is taken. */
  #wholeCall(part: ForeignObject): Chunk {
    const id = String(part.toolCallId);
    const extras = part.providerMetadata === undefined ? {} : { extra_content: { provider_metadata: part.providerMetadata } };
    const known = this.#calls.get(id);
    const { index } = known ?? { index: this.#calls.size };
    const name = known === undefined ? { name: part.toolName } : {};
    const args =
      known?.hasArguments === true ? {} : { arguments: typeof part.input === 'string' ? part.input : JSON.stringify(part.input ?? {}) };
    this.#calls.set(id, { index, hasArguments: true });
    return delta({ tool_calls: [{ index, id, type: 'function', function: { ...name, ...args }, ...extras }] });
  }
}

const delta = (fields: Chunk): Chunk => ({ choices: [{ index: 0, delta: fields, finish_reason: null }] });

function closing({ usage, finishReason }: ForeignObject): Chunk {
  const reason = isObject(finishReason) ? finishReason.unified : finishReason;
  return { usage: toUsage(usage), choices: [{ index: 0, delta: {}, finish_reason: typeof reason === 'string' ? reason : 'unknown' }] };
}

/** Counts are numbers in v2, objects with a total in v3. */
function toUsage(usage: unknown): Chunk | undefined {
  if (!isObject(usage)) return undefined;
  const { inputTokens: input, outputTokens: output } = usage;
  const ofInput = isObject(input) ? input : { total: input, cacheRead: usage.cachedInputTokens };
  const ofOutput = isObject(output) ? output : { total: output, reasoning: usage.reasoningTokens };
  if (ofInput.total === undefined && ofOutput.total === undefined) return undefined;
  return {
    prompt_tokens: ofInput.total,
    completion_tokens: ofOutput.total,
    total_tokens: usage.totalTokens,
    prompt_tokens_details: { cached_tokens: ofInput.cacheRead, cache_write_tokens: ofInput.cacheWrite },
    completion_tokens_details: { reasoning_tokens: ofOutput.reasoning },
  };
}
