/** The library's client: starts loops, controls them, reads them. Postgres first, then a wake to Temporal; ids only cross. */

import { Client, Connection } from '@temporalio/client';
import type { StartInput } from '../domain/agent-loop-input';
import { checkStartInput } from '../domain/check-start-input';
import { checkControlRequest } from '../domain/check-control-request';
import type { ControlAnswer, ControlRequest } from '../domain/control';
import { SolidLoopError, messageOf } from '../domain/errors';
import type { LoopId } from '../domain/ids';
import { isTerminal, type Loop, type LoopStatus } from '../domain/loop';
import type { TranscriptMessage } from '../domain/message';
import type { TemporalDriver } from '../domain/temporal-driver';
import { controlLoop } from '../db/control/control-loop';
import { createDatabase, type Database } from '../db/database';
import { findLoop, findLoopByWorkflowId, type LoopFilter, listLoops } from '../db/repositories/loops.repository';
import { readAnswer } from '../db/read-answer';
import { readTranscript } from '../db/repositories/messages.repository';
import { insertLoop, type QueryExecutor, type StartedLoop } from '../db/start-loop';
import { isRowId, toId } from '../domain/ids';
import { createTemporalDriver } from './temporal-driver';
import { streamLoop, type StreamItem, type StreamOptions } from './stream';
import { whyLoop, type Why } from './why';

export interface ConnectOptions {
  readonly databaseUrl: string;
  /** host:port */
  readonly temporalAddress: string;
  /** @default 'default' */
  readonly namespace?: string;
  /** Where the loops started by this client run. @default 'solidloop' */
  readonly taskQueue?: string;
  /** Names that a start may use; absent: the worker checks them. */
  readonly agents?: readonly string[];
}

export interface StartOptions extends StartInput {
  /** The host's own transaction: the row is made in it, and a worker launches the loop when it commits. */
  readonly transaction?: QueryExecutor;
  readonly taskQueue?: string;
}

/** How a loop ended, or stands now. */
export interface LoopOutcome {
  readonly loopId: LoopId;
  readonly status: LoopStatus;
  readonly answer: string | null;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
}

const DEFAULT_TASK_QUEUE = 'solidloop';
const RESULT_POLL_MS = 250;

export class SolidLoopClient {
  readonly #db: Database;
  readonly #temporal: Client;
  readonly #driver: TemporalDriver;
  readonly #options: ConnectOptions;

  private constructor(db: Database, temporal: Client, options: ConnectOptions) {
    this.#db = db;
    this.#temporal = temporal;
    this.#driver = createTemporalDriver(temporal);
    this.#options = options;
  }

  /** @throws TemporalUnavailable where Temporal does not answer */
  static async connect(options: ConnectOptions): Promise<SolidLoopClient> {
    const connection = await Connection.connect({ address: options.temporalAddress }).catch((error: unknown) => {
      throw new SolidLoopError('TemporalUnavailable', `Temporal does not answer at ${options.temporalAddress}: ${messageOf(error)}`, { cause: error });
    });
    const temporal = new Client({ connection, namespace: options.namespace ?? 'default' });
    const db = createDatabase({ connectionString: options.databaseUrl, poolSize: 5, applicationName: 'solidloop-client', onIdleError: () => undefined });
    return new SolidLoopClient(db, temporal, options);
  }

  /**
   * Row first, then the workflow; the same start key twice is one loop (R77).
   * @throws StartRefused with the field, LoopExists, TemporalUnavailable
   */
  async start({ transaction, taskQueue, ...input }: StartOptions): Promise<StartedLoop> {
    const start = checkStartInput(input);
    const { agents } = this.#options;
    if (agents !== undefined && !agents.includes(start.agent)) {
      throw new SolidLoopError('StartRefused', `no agent is named "${start.agent}"; there are: ${agents.join(', ')}`, { field: 'agent' });
    }
    const queue = taskQueue ?? this.#options.taskQueue ?? DEFAULT_TASK_QUEUE;
    if (transaction !== undefined) return insertLoop(transaction, { ...start, taskQueue: queue });
    const started = await this.#db.transaction().execute((trx) => insertLoop(executorOf(trx), { ...start, taskQueue: queue }));
    if (!isTerminal(started.status)) await this.#driver.start({ id: started.loopId, workflowId: started.workflowId, taskQueue: queue, agentName: start.agent });
    return started;
  }
}
