/** Runs the body of a command: opens what it needs, closes it, and turns its end into an exit code and at most one sentence. */

import type { Database } from '../db/database';
import { isSolidLoopError, messageOf } from '../domain/errors';
import { type Addresses, type CommonOptions, environmentOf, loadConfigOf, resolveAddresses, resolveDatabaseUrl } from './connection';
import type { CliClient, CliContext } from './context';
import { EXIT, exitCodeOf, formatError } from './render/format-error';

export interface ClientCommand {
  readonly client: CliClient;
  readonly addresses: Addresses;
}

/** A body answers its exit code; nothing means success. */
type ExitCode = number | undefined;

export class CommandRunner {
  readonly context: CliContext;
  #exitCode: number = EXIT.completed;

  constructor(context: CliContext) {
    this.context = context;
  }

  get exitCode(): number {
    return this.#exitCode;
  }

  async run(options: CommonOptions, body: () => Promise<ExitCode>): Promise<void> {
    try {
      this.#exitCode = (await body()) ?? EXIT.completed;
    } catch (error) {
      this.#exitCode = exitCodeOf(error);
      this.#report(error, options);
    }
  }

  /** Lends the client. With `withAgents`, the names of the config's agents are checked before a start. */
  async withClient(
    options: CommonOptions,
    body: (command: ClientCommand) => Promise<ExitCode>,
    { withAgents = false } = {},
  ): Promise<void> {
    await this.run(options, async () => {
      const addresses = await resolveAddresses(this.context, options);
      const agents = withAgents ? await this.#agentNames(options) : undefined;
      const client = await this.context.connect({ ...addresses, ...(agents === undefined ? {} : { agents }) });
      return body({ client, addresses }).finally(() => client.close());
    });
  }

  async withDatabase(options: CommonOptions, body: (db: Database) => Promise<ExitCode>): Promise<void> {
    await this.run(options, async () => {
      const db = this.context.openDatabase(await resolveDatabaseUrl(this.context, options));
      return body(db).finally(() => db.destroy());
    });
  }

  /** One document for scripts, or text for people. */
  print(options: CommonOptions, value: unknown, format: () => string): void {
    this.context.terminal.write(`${options.json === true ? JSON.stringify(value) : format()}\n`);
  }

  async #agentNames(options: CommonOptions): Promise<readonly string[] | undefined> {
    const { configFolder } = environmentOf(this.context, options);
    if (!this.context.hasConfig(configFolder)) return undefined;
    const { agents } = await loadConfigOf(this.context, options);
    return agents.map((agent) => agent.name);
  }

  #report(error: unknown, options: CommonOptions): void {
    const { terminal } = this.context;
    if (options.json !== true) terminal.writeError(formatError(error, terminal.paintError, options.debug === true));
    else
      terminal.writeError(
        JSON.stringify({ error: { code: isSolidLoopError(error) ? error.code : 'InternalError', message: messageOf(error) } }),
      );
  }
}
