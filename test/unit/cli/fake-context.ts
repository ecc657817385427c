/** A command line without servers: it records what was asked of the client and what was written. */

import type { StreamItem } from '../../../src/client/stream';
import type { ConnectOptions } from '../../../src/client/solid-loop-client';
import { runCli } from '../../../src/cli/run-cli';
import type { CliClient, CliContext } from '../../../src/cli/context';
import { PLAIN } from '../../../src/cli/render/paint';
import { readEnvironment } from '../../../src/config/environment';
import type { PreflightReport } from '../../../src/preflight';
import { SolidLoopError } from '../../../src/domain/errors';
import { anyLoop } from '../../support/any-loop';

type FakedClient = { -readonly [Name in keyof CliClient]: (...given: never[]) => unknown };

export interface Typed {
  readonly exitCode: number;
  readonly output: string;
  readonly errors: string;
}

/** A call of the client that no test scripted fails loudly. */
export class FakeCli {
  readonly calls: unknown[][] = [];
  readonly connections: ConnectOptions[] = [];
  closed = 0;
  input = '';
  isInteractive = false;
  environment: Record<string, string> = { DATABASE_URL: 'postgresql://db', TEMPORAL_ADDRESS: 'temporal:7233' };
  /** Of the config. Beside a small model it has the first alone. */
  agents: readonly string[] | undefined;
  stack: Awaited<ReturnType<CliContext['findStack']>>;
  interrupt = new AbortController();
  preflightReport: PreflightReport = { replayed: 0, failures: [], differences: [] };
  readonly answers: Partial<FakedClient> = {};

  async type(...words: readonly string[]): Promise<Typed> {
    let output = '';
    let errors = '';
    const exitCode = await runCli(words, {
      version: '1.2.3',
      terminal: {
        write: (text) => void (output += text),
        writeError: (line) => void (errors += `${line}\n`),
        isInteractive: this.isInteractive,
        paint: PLAIN,
        paintError: PLAIN,
      },
      readEnvironment: () => readEnvironment(this.environment),
      loadConfig: (_folder, model) => ({
        agents: (model?.isSmall === true ? (this.agents ?? []).slice(0, 1) : (this.agents ?? [])).map((name) => ({
          name,
          model: { name: 'gpt-5' },
          definitionHash: 'x',
        })),
      }),
      hasConfig: () => this.agents !== undefined,
      operator: 'ana',
      connect: async (options) => {
        this.connections.push(options);
        return this.#client();
      },
      openTemporal: () => this.#unscripted('openTemporal'),
      preflight: async (...given) => {
        this.calls.push(['preflight', ...given]);
        return this.preflightReport;
      },
      runWorker: async (...given) => void this.calls.push(['runWorker', ...given]),
      openDatabase: () => this.#unscripted('openDatabase'),
      findStack: async () => this.stack,
      developerCommand: 'npm start --',
      readInput: async () => this.input,
      now: () => new Date('2026-03-01T12:00:00Z'),
      withInterrupt: (run) => run(this.interrupt.signal),
    });
    return { exitCode, output, errors };
  }

  /** The stream that `run`, `tail` and the like see. */
  streams(...items: readonly StreamItem[]): void {
    this.answers.stream = async function* () {
      yield* items;
    };
  }

  #client(): CliClient {
    const names = ['start', 'result', 'stream', 'list', 'control', 'controlMany', 'why', 'erase'] as const;
    const methods = Object.fromEntries(
      names.map((name) => [
        name,
        (...given: unknown[]) => {
          this.calls.push([name, ...given]);
          const answer = this.answers[name] as ((...given: unknown[]) => unknown) | undefined;
          return answer === undefined ? this.#unscripted(name) : answer(...given);
        },
      ]),
    );
    const get = async (loop: string) => {
      if (loop === '404') throw new SolidLoopError('LoopNotFound', 'there is no loop "404"');
      return anyLoop();
    };
    const close = async () => void (this.closed += 1);
    return { ...methods, get, close } as unknown as CliClient;
  }

  #unscripted(name: string): never {
    throw new Error(`nobody scripted ${name}`);
  }
}
