/** Notices that the event loop stood still, and names the tools that were running: one that computes synchronously starves heartbeats (R79). */

import { insertEvent } from '../db/repositories/events.repository';
import type { Database } from '../db/database';
import { messageOf } from '../domain/errors';
import type { LoopId, ToolCallId } from '../domain/ids';
import type { EngineMetrics } from '../metrics/engine-metrics';
import type { CancelTimer, Clock } from '../util/clock';
import type { Logger } from '../util/logger';

const TICK_MS = 500;
const STALL_MS = 5_000;

export interface RunningTool {
  readonly loopId: LoopId;
  readonly callId: ToolCallId;
  readonly name: string;
}

export interface EventLoopWatchOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: EngineMetrics;
}

export class EventLoopWatch {
  readonly #options: EventLoopWatchOptions;
  readonly #running = new Set<RunningTool>();
  /** Those that ended since the last tick: a body that blocked the loop has ended before anybody notices. */
  #ended: RunningTool[] = [];
  #lastTickMs: number;
  #cancelTimer: CancelTimer | undefined;

  constructor(options: EventLoopWatchOptions) {
    this.#options = options;
    this.#lastTickMs = options.clock.monotonicMs();
    this.#plan();
  }

  /** The answer takes the tool out again. */
  enter(tool: RunningTool): () => void {
    this.#running.add(tool);
    return () => {
      if (this.#running.delete(tool)) this.#ended.push(tool);
    };
  }

  close(): void {
    this.#cancelTimer?.();
  }

  #plan(): void {
    this.#cancelTimer = this.#options.clock.schedule(TICK_MS, () => this.#tick());
  }

  #tick(): void {
    const now = this.#options.clock.monotonicMs();
    const stalledMs = now - this.#lastTickMs - TICK_MS;
    const suspects = [...this.#running, ...this.#ended];
    this.#ended = [];
    this.#lastTickMs = now;
    this.#plan();
    if (stalledMs >= STALL_MS) this.#report(stalledMs / 1000, suspects);
  }

  #report(seconds: number, suspects: readonly RunningTool[]): void {
    const { metrics, logger, db } = this.#options;
    metrics.stalled(seconds);
    const names = suspects.map(({ name }) => name);
    logger.error(
      { seconds, tools: names },
      'the event loop stood still, and heartbeats with it: a tool computes without giving way, or the machine is overloaded',
    );
    for (const { loopId, callId, name } of suspects) {
      const error = `the worker's event loop stood still for ${seconds.toFixed(1)} s while this tool was running${others(names, name)}; let it give way, or run it in a process of its own`;
      insertEvent(db, { loopId, toolCallId: callId, kind: 'event-loop-stalled', name, error }).catch((failure: unknown) =>
        logger.warn({ loop: loopId, error: messageOf(failure) }, 'the event of a stall could not be written'),
      );
    }
  }
}

const others = (names: readonly string[], name: string): string => {
  const rest = names.filter((other) => other !== name);
  return rest.length === 0 ? '' : ` (with ${rest.join(', ')})`;
};
