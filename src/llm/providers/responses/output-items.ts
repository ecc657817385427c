/** Recognises the items of a response: some servers tell them by position, some by id, some by both. */

import { isObject, textOf, type ForeignObject } from '../../foreign-json';

/** What of one item was taken already. */
export interface OutputItem {
  readonly position: number;
  hasText: boolean;
  hasRefusal: boolean;
  hasReasoning: boolean;
  hasCall: boolean;
  hasArguments: boolean;
  isSealed: boolean;
}

export class OutputItems {
  readonly #byPosition = new Map<number, OutputItem>();
  readonly #byId = new Map<string, OutputItem>();
  #count = 0;

  /** The item that an event speaks of. A position wins over an id, since gateways make up new ids on the way. */
  of(event: ForeignObject): OutputItem {
    const position = typeof event.output_index === 'number' ? event.output_index : undefined;
    const id = textOf(event.item_id) ?? (isObject(event.item) ? textOf(event.item.id) : undefined);
    const known =
      (position === undefined ? undefined : this.#byPosition.get(position)) ?? (id === undefined ? undefined : this.#byId.get(id));
    const item = known ?? this.#add();
    if (position !== undefined) this.#byPosition.set(position, item);
    if (id !== undefined) this.#byId.set(id, item);
    return item;
  }

  /** The item at a place of the final list: by id where only ids were told. */
  at(position: number, item: ForeignObject): OutputItem {
    return this.of(this.#byPosition.size > 0 || this.#count === 0 ? { output_index: position, item } : { item });
  }

  #add(): OutputItem {
    this.#count += 1;
    return {
      position: this.#count - 1,
      hasText: false,
      hasRefusal: false,
      hasReasoning: false,
      hasCall: false,
      hasArguments: false,
      isSealed: false,
    };
  }
}
