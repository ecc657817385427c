/** What a test and its worker process say to each other over IPC. All of it is plain JSON. */

import type { JsonObject } from '../../domain/loop';
import type { EngineSettings } from '../../domain/settings';

/** Which agents a worker process runs, and where. */
export interface WorkerPlan {
  /** Absolute path of a module that exports `config`: a config, or a function that makes one of `configArguments`. */
  readonly configModule: string;
  readonly configArguments?: JsonObject;
  readonly databaseUrl: string;
  readonly temporalAddress: string;
  readonly namespace: string;
  readonly taskQueue: string;
  readonly settings: Partial<EngineSettings>;
  /** @default that of the engine */
  readonly poolSize?: number;
  /** False: as behind a pooler that cannot LISTEN. @default true */
  readonly listen?: boolean;
  /** 0: each workflow task is a replay of the whole history. @default that of Temporal's SDK */
  readonly maxCachedWorkflows?: number;
  /** Path of a workflow bundle made before. @default bundled by the process itself */
  readonly workflowBundle?: string;
  /** On standard output. @default 'silent' */
  readonly logLevel?: 'silent' | 'error' | 'warn' | 'info';
}

/** A step has come to a named point, and waits there. */
export interface ArrivedMessage {
  readonly kind: 'arrived';
  /** Of this process, from 1. */
  readonly number: number;
  readonly point: string;
  readonly workflowId: string;
  readonly activityId: string;
  /** Temporal's number of the attempt. */
  readonly attempt: number;
}

export type ToWorker = { readonly kind: 'start'; readonly plan: WorkerPlan } | { readonly kind: 'go'; readonly number: number };
export type FromWorker = ArrivedMessage | { readonly kind: 'ready' } | { readonly kind: 'failed'; readonly error: string };
