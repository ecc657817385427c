/** What the development stack is started with. */

import type { ConnectionOptions } from '@temporalio/client';
import type { DevEnvironment } from '../config/dev-environment';
import type { Print } from './print';

export interface StackOptions {
  /** Data, logs and lock file. */
  readonly dataFolder: string;
  /** What is fetched from registries. @default '.cache' in the working directory */
  readonly cacheFolder?: string;
  readonly environment: DevEnvironment;
  readonly print: Print;
  /** Also finds or starts a model. @default false */
  readonly withModel?: boolean;
  /** Temporal without its UI. @default false */
  readonly headless?: boolean;
  /** Any free ports instead of the usual ones. @default 'usual' */
  readonly ports?: 'usual' | 'free';
  /** False for tests: Postgres' files need not survive a power cut. @default true */
  readonly durable?: boolean;
  /** How to reach a Temporal server that is given: TLS, API key. */
  readonly temporalConnection?: ConnectionOptions;
  readonly signal?: AbortSignal;
}

/** The same with everything decided: absolute folders, one signal. */
export type OpenStackOptions = Omit<StackOptions, 'signal' | 'cacheFolder'> & {
  readonly cacheFolder: string;
  readonly signal: AbortSignal;
};
