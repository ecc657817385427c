/** What the commands are given: the terminal, the environment, ways to connect. Tests give their own. */

import type { Agent } from '../agents/agent';
import type { SolidLoopConfig } from '../agents/define-config';
import type { ConnectOptions, SolidLoopClient } from '../client/solid-loop-client';
import type { EnvironmentSettings } from '../config/environment';
import type { OfferedModel } from '../config/offer-model';
import type { Database } from '../db/database';
import type { TemporalDriver } from '../domain/temporal-driver';
import type { PreflightReport } from '../preflight';
import type { StackAddresses } from '../dev/stack-lock';
import type { Addresses } from './connection';
import type { Paint } from './render/paint';

export interface Terminal {
  /** To standard output, as it is. */
  readonly write: (text: string) => void;
  /** A line to standard error. */
  readonly writeError: (line: string) => void;
  /** Standard output is a terminal, on which a line can be erased. */
  readonly isInteractive: boolean;
  /** Colours of standard output. */
  readonly paint: Paint;
  /** Colours of standard error. */
  readonly paintError: Paint;
}

/** The part of the client that commands use. */
export type CliClient = Pick<
  SolidLoopClient,
  'start' | 'result' | 'stream' | 'get' | 'list' | 'control' | 'controlMany' | 'why' | 'erase' | 'close'
>;

export interface TemporalAddress {
  readonly temporalAddress: string;
  readonly namespace: string;
}

/** A connection to Temporal for commands that need more than the client. */
export interface TemporalSession {
  readonly driver: TemporalDriver;
  /** Answers the names that were missing. @throws ConfigError where the server does not let us */
  readonly registerSearchAttributes: () => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
}

export interface CliContext {
  /** Of this package. */
  readonly version: string;
  readonly terminal: Terminal;
  /** @throws ConfigError */
  readonly readEnvironment: () => EnvironmentSettings;
  /** `model`: what a development stack brings to a config that names none. @throws ConfigError where the folder has no config, or a wrong one */
  readonly loadConfig: (folder: string, model?: OfferedModel) => SolidLoopConfig;
  readonly hasConfig: (folder: string) => boolean;
  /** The person at the terminal: `by` of what is asked of loops. */
  readonly operator: string;
  readonly connect: (options: ConnectOptions) => Promise<CliClient>;
  readonly openTemporal: (address: TemporalAddress) => Promise<TemporalSession>;
  /** @throws TemporalUnavailable, DatabaseUnavailable */
  readonly preflight: (addresses: Addresses, agents: readonly Agent[]) => Promise<PreflightReport>;
  readonly runWorker: (environment: EnvironmentSettings, config: SolidLoopConfig) => Promise<void>;
  readonly openDatabase: (databaseUrl: string) => Database;
  /** The addresses of a development stack that runs in the data folder. */
  readonly findStack: (dataFolder: string) => Promise<StackAddresses | undefined>;
  /** What a person types to run a prompt on the stack of `dev`. */
  readonly developerCommand: string;
  readonly readInput: () => Promise<string>;
  readonly now: () => Date;
  /** Lends a signal that Ctrl-C aborts. */
  readonly withInterrupt: <Result>(run: (signal: AbortSignal) => Promise<Result>) => Promise<Result>;
}
