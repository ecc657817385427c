/** Translates the events of the Responses API into chunks of chat completions, so that all reading and merging is one. */

import { isObject, objectAt, textOf, type ForeignObject } from '../../foreign-json';
import { OutputItems, type OutputItem } from './output-items';

type Chunk = Readonly<Record<string, unknown>>;

/** One for each response: what came in pieces is not taken again when it comes whole (P34). */
export function createResponsesTranslator(): (value: unknown) => unknown {
  const translator = new ResponsesTranslator();
  return (value) => (isObject(value) ? translator.translate(value) : value);
}

class ResponsesTranslator {
  readonly #items = new OutputItems();
  #hasCalls = false;

  translate(event: ForeignObject): unknown {
    switch (event.type) {
      case 'response.output_text.delta':
        this.#items.of(event).hasText = true;
        return deltaChunk({ content: event.delta });
      case 'response.refusal.delta':
        this.#items.of(event).hasRefusal = true;
        return deltaChunk({ refusal: event.delta });
      case 'response.reasoning_text.delta':
      case 'response.reasoning_summary_text.delta':
        this.#items.of(event).hasReasoning = true;
        return deltaChunk({ reasoning_content: event.delta });
      case 'response.reasoning_summary_part.added':
        return this.#items.of(event).hasReasoning ? deltaChunk({ reasoning_content: '\n\n' }) : {};
      case 'response.output_item.added':
        return this.#start(this.#items.of(event), objectAt(event, 'item'));
      case 'response.function_call_arguments.delta':
        return this.#addArguments(this.#items.of(event), event.delta);
      case 'response.output_item.done':
        return deltaChunk(this.#missingOf(this.#items.of(event), objectAt(event, 'item')));
      case 'response.completed':
      case 'response.incomplete':
        return this.#end(objectAt(event, 'response'));
      case 'response.failed':
      case 'response.cancelled':
        return this.#failed(objectAt(event, 'response'), event.type);
      case 'error':
        return { error: isObject(event.error) ? event.error : event };
      default:
        return event.object === 'response' ? this.#whole(event) : {};
    }
  }

  #failed({ error, usage }: ForeignObject, type: string): Chunk {
    return { error: error ?? { message: `the response ended as "${type}"` }, ...(usage === undefined ? {} : { usage }) };
  }

  #start(place: OutputItem, item: ForeignObject): Chunk {
    return item.type === 'function_call' ? deltaChunk(this.#call(place, item)) : {};
  }

  #call(place: OutputItem, item: ForeignObject): Chunk {
    this.#hasCalls = true;
    place.hasCall = true;
    return {
      tool_calls: [{ index: place.position, id: item.call_id ?? item.id, type: 'function', function: { name: item.name, arguments: '' } }],
    };
  }

  #addArguments(place: OutputItem, piece: unknown): Chunk {
    place.hasArguments = true;
    return deltaChunk({ tool_calls: [{ index: place.position, function: { arguments: piece } }] });
  }

  /** What of a whole item did not come in pieces before. */
  #missingOf(place: OutputItem, item: ForeignObject): Chunk {
    if (item.type === 'reasoning') return missingReasoning(place, item);
    if (item.type === 'function_call') return this.#missingCall(place, item);
    if (item.type !== 'message') return {};
    const content = place.hasText ? '' : textsOf(item.content, 'text');
    const refusal = place.hasRefusal ? '' : textsOf(item.content, 'refusal');
    place.hasText = true;
    place.hasRefusal = true;
    return { content, refusal };
  }

  #missingCall(place: OutputItem, item: ForeignObject): Chunk {
    const started = place.hasCall ? { tool_calls: [] } : this.#call(place, item);
    const pieces = place.hasArguments ? [] : [{ index: place.position, function: { arguments: item.arguments } }];
    place.hasArguments = true;
    return { tool_calls: [...(started.tool_calls as readonly Chunk[]), ...pieces] };
  }

  #end(response: ForeignObject): readonly Chunk[] {
    const output = Array.isArray(response.output) ? response.output.filter(isObject) : [];
    const missing = output.map((item, position) => deltaChunk(this.#missingOf(this.#items.at(position, item), item)));
    return [...missing, this.#closing(response)];
  }

  /** A response in one piece. */
  #whole(response: ForeignObject): readonly Chunk[] | Chunk {
    return isObject(response.error) ? { error: response.error } : this.#end(response);
  }

  #closing({ id, model, usage, status, incomplete_details: incomplete }: ForeignObject): Chunk {
    const reason = isObject(incomplete) ? textOf(incomplete.reason) : undefined;
    const ended = status === 'incomplete' ? (reason ?? 'length') : this.#hasCalls ? 'tool_calls' : 'stop';
    return { id, model, usage, choices: [{ index: 0, delta: {}, finish_reason: ended }] };
  }
}

/** What is encrypted goes back before the message's calls, in later turns. */
function missingReasoning(place: OutputItem, item: ForeignObject): Chunk {
  const text = place.hasReasoning
    ? ''
    : [textsOf(item.summary, 'text', '\n\n'), textsOf(item.content, 'text', '\n\n')].filter((part) => part !== '').join('\n\n');
  const isNewSeal = textOf(item.encrypted_content) !== undefined && !place.isSealed;
  place.hasReasoning = true;
  place.isSealed ||= isNewSeal;
  const sealed = { type: 'reasoning.encrypted', index: place.position, id: item.id, data: item.encrypted_content, summaries: item.summary };
  return { reasoning_content: text, ...(isNewSeal ? { reasoning_details: [sealed] } : {}) };
}

function textsOf(parts: unknown, field: string, separator = ''): string {
  if (!Array.isArray(parts)) return '';
  return parts
    .filter(isObject)
    .map((part) => textOf(part[field]) ?? '')
    .filter((text) => text !== '')
    .join(separator);
}

const deltaChunk = (delta: Chunk): Chunk =>
  Object.keys(delta).length === 0 ? {} : { choices: [{ index: 0, delta, finish_reason: null }] };
