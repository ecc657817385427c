/** The library's client: starts loops, controls them, reads them. Postgres first, then a wake to Temporal; ids only cross. */

import { Client, Connection } from '@temporalio/client';
import { uuidv7 } from 'uuidv7';
import { controlLoop } from '../db/control/control-loop';
import { controlMany, type ControlManyReport, type LoopSelection } from '../db/control/control-many';
import { wakeControlled } from '../db/control/wake-controlled';
import { createDatabase, type Database } from '../db/database';
import { eraseLoop, type EraseReport } from '../db/loops/erase-loop';
import { findLoops, type LoopFilter } from '../db/loops/find-loops';
import { findLoop, findLoopByWorkflowId } from '../db/repositories/loops.repository';
import { findMessages } from '../db/repositories/messages.repository';
import { insertLoop, type QueryExecutor, type StartedLoop, startLoop, type StartLoopOptions } from '../db/loops/start-loop';
import type { StartInput } from '../domain/agent-loop-input';
import { checkStartInput } from '../domain/check-start-input';
import type { ControlAnswer, ControlRequest, KeyedControlRequest } from '../domain/control';
import { isSolidLoopError, SolidLoopError } from '../domain/errors';
import { isRowId, type LoopId, toId } from '../domain/ids';
import { isTerminal, type Loop, type LoopStatus } from '../domain/loop';
import type { TranscriptMessage } from '../domain/message';
import type { TemporalDriver } from '../domain/temporal-driver';
import { withStartSpan } from '../metrics/spans';
import { endWorkflow } from './end-workflow';
import { type StreamItem, type StreamOptions, streamLoop } from './stream';
import { createTemporalDriver } from './temporal-driver';
import { type Why, whyLoop } from './why';

export interface ConnectOptions {
  readonly databaseUrl: string;
  /** host:port */
  readonly temporalAddress: string;
  /** @default 'default' */
  readonly namespace?: string;
  /** Where the loops that this client starts run. @default 'solidloop' */
  readonly taskQueue?: string;
  /** Names that a start may use; absent: the worker checks them. */
  readonly agents?: readonly string[];
}

export interface StartOptions extends StartInput {
  /** The host's own transaction: the row is made in it, and a worker launches the loop when it commits. */
  readonly transaction?: QueryExecutor;
  /** @default that of the client */
  readonly taskQueue?: string;
}

/** A loop that was started, or found under its start key. */
export interface LaunchedLoop extends StartedLoop {
  /** False: its row is there, and a worker of the queue starts its workflow (when the host commits, or when Temporal answers again). */
  readonly isLaunched: boolean;
}

/** How a loop ended, or stands now. */
export interface LoopOutcome {
  readonly loopId: LoopId;
  readonly status: LoopStatus;
  /** Text of the last answer. */
  readonly answer: string | null;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
}

export interface ResultOptions {
  /** Wait until the loop has ended. @default true */
  readonly wait?: boolean;
  /** Ends the waiting: the promise rejects with its reason. */
  readonly signal?: AbortSignal;
}

export interface ControlOptions {
  /** The same key is the same request: a repeat gets the stored answer. @default a new one */
  readonly key?: string;
  /** Shown as who asked. */
  readonly by?: string;
}

const DEFAULT_TASK_QUEUE = 'solidloop';
const CLIENT_POOL_SIZE = 5;

export interface EraseOptions {
  /** Stop a loop that has not ended. @default false */
  readonly force?: boolean;
  /** Only count. @default false */
  readonly dryRun?: boolean;
}

/** A loop is named by its id or by its workflow id. */
export class SolidLoopClient {
  readonly #db: Database;
  readonly #connection: Connection;
  readonly #temporal: Client;
  readonly #driver: TemporalDriver;
  readonly #options: ConnectOptions;

  private constructor(db: Database, connection: Connection, options: ConnectOptions) {
    this.#db = db;
    this.#connection = connection;
    this.#temporal = new Client({ connection, namespace: options.namespace ?? 'default' });
    this.#driver = createTemporalDriver(this.#temporal);
    this.#options = options;
  }

  /** Opens nothing yet: each call says what does not answer. Reading and control need Postgres alone. */
  static async connect(options: ConnectOptions): Promise<SolidLoopClient> {
    const connection = Connection.lazy({ address: options.temporalAddress });
    const db = createDatabase({
      connectionString: options.databaseUrl,
      poolSize: CLIENT_POOL_SIZE,
      applicationName: 'solidloop-client',
      // The pool has replaced the connection already, and the next query says what is wrong.
      onIdleError: () => undefined,
    });
    return new SolidLoopClient(db, connection, options);
  }

  /**
   * Row first, then the workflow; the same start key twice is one loop (R77). No content reaches Temporal.
   * @throws InvalidInput with the field, StartRefused for an unknown agent, LoopExists, DatabaseUnavailable
   */
  async start({ transaction, taskQueue, ...input }: StartOptions): Promise<LaunchedLoop> {
    const start = checkStartInput(input);
    this.#assertKnown(start.agent);
    const queue = taskQueue ?? this.#options.taskQueue ?? DEFAULT_TASK_QUEUE;
    return withStartSpan(start.agent, async (traceParent) => {
      const options = { ...start, taskQueue: queue, ...(traceParent === undefined ? {} : { traceParent }) };
      return transaction === undefined ? this.#startNow(options) : { ...(await insertLoop(transaction, options)), isLaunched: false };
    });
  }

  /** The row is committed: where Temporal cannot be asked, a worker launches it later, and a throw would only invite a second start. */
  async #startNow(options: StartLoopOptions): Promise<LaunchedLoop> {
    const started = await startLoop(this.#db, options);
    if (isTerminal(started.status)) return { ...started, isLaunched: true };
    const { loopId: id, workflowId } = started;
    try {
      await this.#driver.start({ id, workflowId, taskQueue: options.taskQueue, agentName: options.agent });
      return { ...started, isLaunched: true };
    } catch (error) {
      if (!isSolidLoopError(error, 'TemporalUnavailable')) throw error;
      return { ...started, isLaunched: false };
    }
  }

  /** @throws LoopNotFound; the signal's reason */
  async result(loop: string, { wait = true, signal }: ResultOptions = {}): Promise<LoopOutcome> {
    const loopId = (await this.get(loop)).id;
    if (wait) {
      for await (const item of streamLoop(this.#db, loopId, signal === undefined ? {} : { signal })) {
        if (item.type === 'loop' && isTerminal(item.loop.status)) break;
      }
      signal?.throwIfAborted();
    }
    const { status, errorCode, errorMessage } = await this.get(loopId);
    const answers = (await this.transcript(loopId)).filter((message) => message.role === 'assistant' && message.status === 'success');
    return { loopId, status, answer: answers.at(-1)?.content ?? null, errorCode, errorMessage };
  }

  /** The loop as it happens. @throws LoopNotFound */
  async *stream(loop: string, options: StreamOptions = {}): AsyncGenerator<StreamItem, void, undefined> {
    yield* streamLoop(this.#db, (await this.get(loop)).id, options);
  }

  /** @throws LoopNotFound */
  async get(loop: string): Promise<Loop> {
    const found = isRowId(loop) ? await findLoop(this.#db, toId<LoopId>(loop)) : await findLoopByWorkflowId(this.#db, loop);
    if (found === undefined)
      throw new SolidLoopError('LoopNotFound', `there is no loop "${loop}" in this database; \`solidloop list\` shows those there are`, {
        field: 'loop',
      });
    return found;
  }

  /** Newest first. */
  async list(filter: LoopFilter = {}): Promise<readonly Loop[]> {
    return findLoops(this.#db, filter);
  }

  /** The visible messages, in order. @throws LoopNotFound */
  async transcript(loop: string): Promise<readonly TranscriptMessage[]> {
    return findMessages(this.#db, { loopId: (await this.get(loop)).id });
  }

  /**
   * One verb on one loop; works with no worker alive. A refusal is an answer with a code.
   * @throws LoopNotFound, DatabaseUnavailable
   */
  async control(loop: string, request: ControlRequest, options: ControlOptions = {}): Promise<ControlAnswer> {
    const { id } = await this.get(loop);
    const outcome = await controlLoop(this.#db, id, keyed(request, options));
    await wakeControlled(this.#driver, outcome);
    return outcome.answer;
  }

  /**
   * The kill switch: one verb on all loops that fit. With `dryRun` it only counts.
   * @throws InvalidInput for an empty selection, DatabaseUnavailable
   */
  async controlMany(
    selection: LoopSelection,
    request: ControlRequest,
    options: ControlOptions & { readonly dryRun?: boolean } = {},
  ): Promise<ControlManyReport> {
    const { dryRun = false, ...sender } = options;
    return controlMany(this.#db, selection, keyed(request, sender), {
      dryRun,
      onOutcome: async (outcome) => void (await wakeControlled(this.#driver, outcome)),
    });
  }

  /**
   * Deletes a loop with all its rows, and ends its workflow. What Temporal keeps of it, the docs say.
   * @throws LoopNotFound; LoopNotTerminal for a live loop without `force`; DatabaseUnavailable
   */
  async erase(loop: string, { force = false, dryRun = false }: EraseOptions = {}): Promise<EraseReport> {
    const { id, status, workflowId } = await this.get(loop);
    if (force && !dryRun && !isTerminal(status)) await this.control(id, { verb: 'stop', reason: 'it is to be erased' });
    const report = await eraseLoop(this.#db, id, { dryRun });
    if (!dryRun) await endWorkflow(this.#temporal, workflowId);
    return report;
  }

  /** Why a loop is not moving, and what to do next. @throws LoopNotFound */
  async why(loop: string): Promise<Why> {
    return whyLoop({ db: this.#db, temporal: this.#temporal }, await this.get(loop));
  }

  async close(): Promise<void> {
    await Promise.all([this.#db.destroy(), this.#connection.close()]);
  }

  #assertKnown(agent: string): void {
    const { agents } = this.#options;
    if (agents === undefined || agents.includes(agent)) return;
    throw new SolidLoopError('StartRefused', `no agent is named "${agent}"; there are: ${agents.join(', ')}`, { field: 'agent' });
  }
}

const keyed = (request: ControlRequest, { key = uuidv7(), by }: ControlOptions): KeyedControlRequest => ({
  ...request,
  key,
  ...(by === undefined ? {} : { by }),
});
