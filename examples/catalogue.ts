/** The librarian's books and letters: what would be a service or tables of the host's, kept in memory here. */

export interface Book {
  readonly id: number;
  readonly title: string;
  readonly author: string;
}

const BOOKS: readonly Book[] = [
  { id: 1, title: 'A Wizard of Earthsea', author: 'Ursula K. Le Guin' },
  { id: 2, title: 'The Left Hand of Darkness', author: 'Ursula K. Le Guin' },
  { id: 3, title: 'Moby-Dick', author: 'Herman Melville' },
];

export class Catalogue {
  readonly #reservations = new Map<string, string>();
  readonly #letters = new Map<string, string>();
  readonly #noted = new Map<string, string>();

  find(words: string): readonly Book[] {
    const wanted = words.toLowerCase().split(/\s+/);
    return BOOKS.filter(({ title, author }) => wanted.every((word) => `${title} ${author}`.toLowerCase().includes(word)));
  }

  /** The same key is the same reservation. */
  reserve({ bookId, reader, key }: { readonly bookId: number; readonly reader: string; readonly key: string }): string {
    const book = BOOKS.find(({ id }) => id === bookId);
    if (book === undefined) throw new Error(`there is no book ${bookId}; find_books tells the ids`);
    return remember(this.#reservations, key, `"${book.title}" is reserved for ${reader}`);
  }

  sendLetter({ reader, text, key }: { readonly reader: string; readonly text: string; readonly key: string }): string {
    return remember(this.#letters, key, `sent to ${reader}: ${text}`);
  }

  findLetter(key: string): string | undefined {
    return this.#letters.get(key);
  }

  /** Hooks run at least once for each message: its id is the key. */
  note(messageId: string, role: string): void {
    this.#noted.set(messageId, role);
  }

  get letterCount(): number {
    return this.#letters.size;
  }

  get notedCount(): number {
    return this.#noted.size;
  }
}

function remember(known: Map<string, string>, key: string, value: string): string {
  const first = known.get(key) ?? value;
  known.set(key, first);
  return first;
}
