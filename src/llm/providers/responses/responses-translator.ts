/** Translates the events of the Responses API into chunks of chat completions, so that all reading and merging is one. */

import { isObject, objectAt, textOf, type ForeignObject } from '../../foreign-json';

type Chunk = Readonly<Record<string, unknown>>;

/** One for each response: a thing that came in pieces is not taken again when it comes whole (P34). */
export function createResponsesTranslator(): (value: unknown) => unknown {
  const translator = new ResponsesTranslator();
  return (value) => (isObject(value) ? translator.translate(value) : value);
}

class ResponsesTranslator {
  /** Texts and arguments that came in pieces, by kind and place. */
  readonly #seen = new Set<string>();
  #hasCalls = false;

  translate(event: ForeignObject): unknown {
    const position = `${String(event.output_index)}.${String(event.content_index)}`;
    switch (event.type) {
      case 'response.output_text.delta':
        return this.#piece(`text ${position}`, { content: event.delta });
      case 'response.refusal.delta':
        return this.#piece(`refusal ${position}`, { refusal: event.delta });
      case 'response.reasoning_text.delta':
      case 'response.reasoning_summary_text.delta':
        return this.#piece(`reasoning ${String(event.output_index)}`, { reasoning_content: event.delta });
      case 'response.output_item.added':
        return this.#call(event.output_index, objectAt(event, 'item'), '');
      case 'response.function_call_arguments.delta':
        return this.#piece(`arguments ${String(event.output_index)}`, {
          tool_calls: [{ index: event.output_index, function: { arguments: event.delta } }],
        });
      case 'response.output_item.done':
        return deltaChunk(this.#wholeItem(event.output_index, objectAt(event, 'item')));
      case 'response.completed':
      case 'response.incomplete':
        return this.#end(objectAt(event, 'response'));
      case 'response.failed':
      case 'response.cancelled':
        return { error: objectAt(event, 'response').error ?? { message: `the response ended as "${event.type}"` } };
      case 'error':
        return { error: isObject(event.error) ? event.error : event };
      default:
        return event.object === 'response' ? this.#whole(event) : {};
    }
  }

  #piece(place: string, delta: Chunk): Chunk {
    this.#seen.add(place);
    return deltaChunk(delta);
  }

  #call(index: unknown, item: ForeignObject, args: unknown): Chunk {
    if (item.type !== 'function_call') return {};
    this.#hasCalls = true;
    this.#seen.add(`call ${String(index)}`);
    return deltaChunk({
      tool_calls: [{ index, id: item.call_id ?? item.id, type: 'function', function: { name: item.name, arguments: args } }],
    });
  }

  /** What of an item did not come in pieces before. */
  #wholeItem(index: unknown, item: ForeignObject): Chunk {
    if (item.type === 'reasoning') return this.#wholeReasoning(index, item);
    if (item.type === 'function_call') return this.#wholeCall(index, item);
    if (item.type !== 'message' || !Array.isArray(item.content)) return {};
    const parts = item.content.filter(isObject);
    const unseen = (kind: string, field: string): string =>
      parts.map((part, place) => (this.#isNew(`${kind} ${String(index)}.${place}`) ? (textOf(part[field]) ?? '') : '')).join('');
    return { content: unseen('text', 'text'), refusal: unseen('refusal', 'refusal') };
  }

  /** What is encrypted goes back with the message's calls, in later turns. */
  #wholeReasoning(index: unknown, item: ForeignObject): Chunk {
    const texts = [item.summary, item.content].flatMap((parts) =>
      Array.isArray(parts) ? parts.filter(isObject).map((part) => textOf(part.text) ?? '') : [],
    );
    const text = this.#isNew(`reasoning ${String(index)}`) ? texts.join('\n\n') : '';
    const isSealed = textOf(item.encrypted_content) !== undefined && this.#isNew(`sealed ${String(index)}`);
    const sealed = { type: 'reasoning.encrypted', index, id: item.id, data: item.encrypted_content, summaries: item.summary };
    return { reasoning_content: text, ...(isSealed ? { reasoning_details: [sealed] } : {}) };
  }

  #wholeCall(index: unknown, item: ForeignObject): Chunk {
    const args = this.#isNew(`arguments ${String(index)}`) ? item.arguments : '';
    if (this.#seen.has(`call ${String(index)}`)) return { tool_calls: [{ index, function: { arguments: args } }] };
    return choiceDelta(this.#call(index, item, args));
  }

  /** True once for each place, and false where its pieces were taken. */
  #isNew(place: string): boolean {
    if (this.#seen.has(place)) return false;
    this.#seen.add(place);
    return true;
  }

  #end(response: ForeignObject): readonly Chunk[] {
    const output = Array.isArray(response.output) ? response.output.filter(isObject) : [];
    const missed = output.map((item, index) => deltaChunk(this.#wholeItem(index, item)));
    return [...missed, this.#closing(response)];
  }

  /** A response in one piece: a chunk with all of it. */
  #whole(response: ForeignObject): readonly Chunk[] | Chunk {
    if (isObject(response.error)) return { error: response.error };
    return this.#end(response);
  }

  #closing({ id, model, usage, status, incomplete_details: incomplete }: ForeignObject): Chunk {
    const reason = isObject(incomplete) ? textOf(incomplete.reason) : undefined;
    const ended = status === 'incomplete' ? (reason ?? 'length') : this.#hasCalls ? 'tool_calls' : 'stop';
    return { id, model, usage, choices: [{ index: 0, delta: {}, finish_reason: ended }] };
  }
}

const deltaChunk = (delta: Chunk): Chunk =>
  Object.keys(delta).length === 0 ? {} : { choices: [{ index: 0, delta, finish_reason: null }] };

function choiceDelta(chunk: Chunk): Chunk {
  const [choice] = Array.isArray(chunk.choices) ? (chunk.choices as readonly { readonly delta: Chunk }[]) : [];
  return choice?.delta ?? {};
}
