/** One connection of a process that LISTENs, opened again whenever it is lost. What was missed meanwhile is not replayed, so each new connection is told. */

import { Client } from 'pg';
import { messageOf } from '../../domain/errors';
import type { CancelTimer, Clock } from '../../util/clock';
import type { Logger } from '../../util/logger';
import { CHANNELS, type Channel } from '../postgres/notify';

const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 5_000;
const CONNECT_TIMEOUT_MS = 10_000;
/** A connection that died without a word is noticed by a query that nobody answers. */
const PING_INTERVAL_MS = 15_000;
const QUERY_TIMEOUT_MS = 5_000;

export interface FenceListenerOptions {
  /** A direct connection: a pooler in transaction mode cannot LISTEN. */
  readonly connectionString: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Shown in pg_stat_activity. @default 'solidloop-listen' */
  readonly applicationName?: string;
}

export type NoticeHandler = (payload: string) => void;

export class FenceListener {
  readonly #options: FenceListenerOptions;
  readonly #handlers = new Map<string, Set<NoticeHandler>>();
  readonly #connectHandlers = new Set<() => void>();
  #client: Client | undefined;
  #cancelTimer: CancelTimer | undefined;
  #connecting: Promise<void> | undefined;
  #retryMs = FIRST_RETRY_MS;
  #isListening = false;
  #isClosed = false;

  constructor(options: FenceListenerOptions) {
    this.#options = options;
  }

  /** False before the first connection and between two. */
  get isListening(): boolean {
    return this.#isListening;
  }

  /** Resolves after the first attempt to connect; where that failed, it tries again on its own until `close()`. */
  async start(): Promise<void> {
    this.#connecting ??= this.#connect();
    await this.#connecting;
  }

  /** Answers the function that takes the handler back. */
  subscribe(channel: Channel, handler: NoticeHandler): () => void {
    const handlers = this.#handlers.get(channel) ?? new Set();
    this.#handlers.set(channel, handlers.add(handler));
    return () => void handlers.delete(handler);
  }

  /** Called after each LISTEN, the first included: read again what a notice may have told meanwhile. */
  onConnect(handler: () => void): () => void {
    this.#connectHandlers.add(handler);
    return () => void this.#connectHandlers.delete(handler);
  }

  /** Ends the connection; nothing is called after it. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#isListening = false;
    this.#cancelTimer?.();
    await this.#connecting;
    const client = this.#client;
    this.#client = undefined;
    await client?.end();
  }

  async #connect(): Promise<void> {
    if (this.#isClosed) return;
    const client = this.#open();
    this.#client = client;
    try {
      await client.connect();
      await client.query(
        Object.values(CHANNELS)
          .map((channel) => `listen ${channel}`)
          .join(';'),
      );
    } catch (error) {
      this.#lose(client, error);
      return;
    }
    if (this.#client !== client || this.#isClosed) return;
    this.#retryMs = FIRST_RETRY_MS;
    this.#isListening = true;
    this.#ping(client);
    for (const handler of this.#connectHandlers) this.#call(handler);
  }

  #open(): Client {
    const client = new Client({
      connectionString: this.#options.connectionString,
      application_name: this.#options.applicationName ?? 'solidloop-listen',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: QUERY_TIMEOUT_MS,
      keepAlive: true,
    });
    client.on('notification', ({ channel, payload = '' }) => {
      for (const handler of this.#handlers.get(channel) ?? []) this.#call(() => handler(payload));
    });
    client.on('error', (error) => this.#lose(client, error));
    client.on('end', () => this.#lose(client, new Error('the server ended the connection')));
    return client;
  }

  #ping(client: Client): void {
    this.#cancelTimer = this.#options.clock.schedule(PING_INTERVAL_MS, () => {
      client.query('select 1').then(
        () => this.#client === client && !this.#isClosed && this.#ping(client),
        (error: unknown) => this.#lose(client, error),
      );
    });
  }

  #lose(client: Client, error: unknown): void {
    if (this.#client !== client || this.#isClosed) return;
    this.#client = undefined;
    this.#isListening = false;
    this.#cancelTimer?.();
    this.#options.logger.warn({ error: messageOf(error), retryMs: this.#retryMs }, 'the listening connection was lost and is opened again');
    this.#end(client);
    this.#cancelTimer = this.#options.clock.schedule(this.#retryMs, () => {
      this.#connecting = this.#connect();
    });
    this.#retryMs = Math.min(LONGEST_RETRY_MS, this.#retryMs * 2);
  }

  #end(client: Client): void {
    client
      .end()
      .catch((error: unknown) => this.#options.logger.debug({ error: messageOf(error) }, 'a lost connection did not end cleanly'));
  }

  #call(handler: () => void): void {
    try {
      handler();
    } catch (error) {
      this.#options.logger.error({ error: messageOf(error) }, 'a handler of database notices failed');
    }
  }
}
