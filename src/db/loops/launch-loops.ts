/** Starts the workflows of rows that were made inside a host's transaction: at start, at each notice and reconnect, every 5 s. */

import { messageOf } from '../../domain/errors';
import { type LoopId, toId } from '../../domain/ids';
import type { DrivenLoop, TemporalDriver } from '../../domain/temporal-driver';
import type { CancelTimer, Clock } from '../../util/clock';
import type { Logger } from '../../util/logger';
import { bindInstallation } from './bind-installation';
import type { Database } from '../database';
import type { FenceListener } from '../leases/fence-listener';
import { CHANNELS } from '../postgres/notify';
import { namingUnavailable } from '../transaction';

const LOOK_INTERVAL_MS = 5_000;
const BATCH_SIZE = 200;
/** A workflow that waits for a free worker opens its loop late: it is not started again meanwhile. */
const START_AGAIN_MS = 60_000;

export interface LaunchSearch {
  readonly taskQueue: string;
  readonly namespaceId: string;
  /** Only loops after this one. */
  readonly after: LoopId;
}

/** Rows that no workflow has opened yet, in order of id. The status changes when it does (`openLoop`), never here. */
export async function findLoopsToLaunch(db: Database, { taskQueue, namespaceId, after }: LaunchSearch): Promise<readonly DrivenLoop[]> {
  const rows = await namingUnavailable(() =>
    db
      .selectFrom('loops')
      .select(['id', 'workflow_id', 'task_queue', 'agent_name'])
      .where('status', '=', 'init')
      .where('task_queue', '=', taskQueue)
      .where('id', '>', after)
      .where((where) => where.or([where('namespace_id', 'is', null), where('namespace_id', '=', namespaceId)]))
      .orderBy('id')
      .limit(BATCH_SIZE)
      .execute(),
  );
  return rows.map((row) => ({
    id: toId<LoopId>(row.id),
    workflowId: row.workflow_id,
    taskQueue: row.task_queue,
    agentName: row.agent_name,
  }));
}

export interface LoopLauncherOptions {
  readonly db: Database;
  readonly temporal: Pick<TemporalDriver, 'start'>;
  readonly namespaceId: string;
  readonly taskQueue: string;
  /** Absent: only the look every 5 s. */
  readonly listener?: FenceListener;
  readonly clock: Clock;
  readonly logger: Logger;
}

export class LoopLauncher {
  readonly #options: LoopLauncherOptions;
  readonly #unsubscribe: (() => void)[] = [];
  /** When this process started each workflow. Milliseconds. */
  readonly #started = new Map<LoopId, number>();
  #looking: Promise<void> | undefined;
  #isAskedAgain = false;
  #cancelTimer: CancelTimer | undefined;
  #isClosed = false;

  constructor(options: LoopLauncherOptions) {
    this.#options = options;
  }

  /** Two workers that launch the same row start one workflow: the id decides. */
  start(): void {
    const { listener, taskQueue } = this.#options;
    if (listener !== undefined) {
      this.#unsubscribe.push(
        listener.subscribe(CHANNELS.launch, (queue) => queue === taskQueue && this.#look()),
        listener.onConnect(() => this.#look()),
      );
    }
    this.#look();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelTimer?.();
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    await this.#looking;
  }

  /** One look at a time; a notice during it asks for another. */
  #look(): void {
    if (this.#isClosed) return;
    if (this.#looking !== undefined) {
      this.#isAskedAgain = true;
      return;
    }
    this.#cancelTimer?.();
    this.#looking = this.#launchAll().finally(() => this.#plan());
  }

  #plan(): void {
    this.#looking = undefined;
    if (this.#isClosed) return;
    this.#cancelTimer = this.#options.clock.schedule(LOOK_INTERVAL_MS, () => this.#look());
    if (this.#isAskedAgain) {
      this.#isAskedAgain = false;
      this.#look();
    }
  }

  async #launchAll(): Promise<void> {
    const { db, namespaceId, taskQueue, temporal, logger } = this.#options;
    try {
      const binding = await bindInstallation(db, namespaceId);
      if (binding.kind === 'foreign') {
        logger.warn(
          { namespaceId, tables: binding.namespaceId },
          'these tables belong to another Temporal namespace: nothing is launched; see "solidloop adopt"',
        );
        return;
      }
      this.#forgetOld();
      for await (const loop of this.#findAll()) {
        if (this.#isClosed) return;
        await temporal.start(loop);
        this.#started.set(loop.id, this.#options.clock.monotonicMs());
      }
    } catch (error) {
      logger.warn({ taskQueue, error: messageOf(error) }, 'loops were not launched; tried again shortly');
    }
  }

  async *#findAll(): AsyncGenerator<DrivenLoop> {
    const { db, namespaceId, taskQueue } = this.#options;
    let after = toId<LoopId>('0');
    for (;;) {
      const loops = await findLoopsToLaunch(db, { taskQueue, namespaceId, after });
      for (const loop of loops) if (!this.#started.has(loop.id)) yield loop;
      const last = loops.at(-1);
      if (last === undefined) return;
      after = last.id;
    }
  }

  #forgetOld(): void {
    const oldest = this.#options.clock.monotonicMs() - START_AGAIN_MS;
    for (const [loopId, startedMs] of this.#started) if (startedMs < oldest) this.#started.delete(loopId);
  }
}
