/** Reads the messages of a Postgres client out of its bytes, however they were cut. */

const TYPE_BYTES = 1;
const LENGTH_BYTES = 4;

export interface FrontendMessage {
  /** Undefined for the first message of a connection, which has none. */
  readonly type: string | undefined;
  readonly bytes: Buffer;
  /** Of a simple query (`Q`) or a parsed statement (`P`); else empty. */
  readonly sql: string;
}

export class FrontendReader {
  #rest: Buffer = Buffer.alloc(0);
  #isStarted = false;

  /** The messages that are whole now. Without TLS only: an encrypted connection shows none. */
  push(chunk: Buffer): readonly FrontendMessage[] {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    const messages: FrontendMessage[] = [];
    for (let message = this.#take(); message !== undefined; message = this.#take()) messages.push(message);
    return messages;
  }

  #take(): FrontendMessage | undefined {
    const head = this.#isStarted ? TYPE_BYTES : 0;
    if (this.#rest.length < head + LENGTH_BYTES) return undefined;
    const length = head + this.#rest.readInt32BE(head);
    if (this.#rest.length < length) return undefined;
    const bytes = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    if (!this.#isStarted) {
      this.#isStarted = true;
      return { type: undefined, bytes, sql: '' };
    }
    const type = String.fromCharCode(bytes[0] ?? 0);
    return { type, bytes, sql: sqlOf(type, bytes.subarray(TYPE_BYTES + LENGTH_BYTES)) };
  }
}

/** `Q` is the text; `P` is the statement's name, then the text. Both end in a zero byte. */
function sqlOf(type: string, body: Buffer): string {
  if (type !== 'Q' && type !== 'P') return '';
  const start = type === 'Q' ? 0 : body.indexOf(0) + 1;
  return body.toString('utf8', start, body.indexOf(0, start));
}
