/** One connection outside the pool, opened at the first query and again after it was lost. */

import { Client, DatabaseError } from 'pg';
import { messageOf } from '../../domain/errors';
import type { Logger } from '../../util/logger';

export interface OwnConnectionOptions {
  readonly connectionString: string;
  readonly applicationName: string;
  /** Of the server, for each statement. The client waits twice as long before it gives the connection up. */
  readonly statementTimeoutMs: number;
  readonly logger: Logger;
}

interface Opened {
  readonly client: Client;
  readonly connected: Promise<unknown>;
}

export class OwnConnection {
  readonly #options: OwnConnectionOptions;
  #current: Opened | undefined;
  #isClosed = false;

  constructor(options: OwnConnectionOptions) {
    this.#options = options;
  }

  /** An error of the statement leaves the connection; any other error drops it, and the next query opens a new one. */
  readonly query = async <Row>(text: string, values: readonly unknown[]): Promise<readonly Row[]> => {
    if (this.#isClosed) throw new Error(`the connection ${this.#options.applicationName} was closed for good`);
    const opened = (this.#current ??= this.#open());
    let isOpen = false;
    try {
      await opened.connected;
      isOpen = true;
      const { rows } = await opened.client.query({ text, values: [...values] });
      return rows as Row[];
    } catch (error) {
      if (!isOpen || !isStatementError(error)) this.#drop(opened);
      throw error;
    }
  };

  async close(): Promise<void> {
    this.#isClosed = true;
    const opened = this.#current;
    this.#current = undefined;
    if (opened !== undefined) await this.#end(opened);
  }

  #open(): Opened {
    const { connectionString, applicationName, statementTimeoutMs, logger } = this.#options;
    const client = new Client({
      connectionString,
      application_name: applicationName,
      connectionTimeoutMillis: 2 * statementTimeoutMs,
      statement_timeout: statementTimeoutMs,
      query_timeout: 2 * statementTimeoutMs,
      keepAlive: true,
    });
    client.on('error', (error) => {
      logger.warn({ error: messageOf(error), applicationName }, 'a connection was lost');
      this.#drop(opened);
    });
    const opened = { client, connected: client.connect() };
    return opened;
  }

  #drop(opened: Opened): void {
    if (this.#current !== opened) return;
    this.#current = undefined;
    void this.#end(opened);
  }

  async #end({ client }: Opened): Promise<void> {
    await client
      .end()
      .catch((error: unknown) => this.#options.logger.debug({ error: messageOf(error) }, 'a lost connection did not end cleanly'));
  }
}

/** Connection exceptions, operator intervention, sessions that were idle for too long: the connection is of no use after them. */
const FATAL_CODE = /^(08|57P|25P03)/;

/** The server refused the statement, and the open connection goes on. */
export const isStatementError = (error: unknown): error is DatabaseError =>
  error instanceof DatabaseError && !FATAL_CODE.test(error.code ?? '08');
