/** Gauges that are read from the tables when they are asked for. All workers show the same: take the maximum of them. */

import { Gauge, type Registry } from 'prom-client';
import type { LoopGauges } from '../db/read-loop-gauges';

const ENDED = ['completed', 'failed', 'cancelled'] as const;

/** Where the tables cannot be read, the gauges are absent from the answer and `solidloop_tables_up` is 0. */
export function registerLoopGauges(registry: Registry, read: () => Promise<LoopGauges>): void {
  const registers = [registry];
  const loops = new Gauge({ name: 'solidloop_loops', help: 'Live loops by status', labelNames: ['status'], registers });
  const ended = new Gauge({ name: 'solidloop_loops_ended_last_hour', help: 'Loops that ended within the last hour', labelNames: ['status'], registers });
  const stuck = new Gauge({
    name: 'solidloop_oldest_stuck_seconds',
    help: 'How long the oldest loop that should move, and that nobody holds, has not moved',
    registers,
  });
  const wakes = new Gauge({ name: 'solidloop_overdue_wakes', help: 'Changes from outside that no workflow has read', registers });
  const reconciler = new Gauge({ name: 'solidloop_reconciler_age_seconds', help: 'Since the last run of the reconciler', registers });

  const set = (gauges: LoopGauges): void => {
    for (const [status, count] of Object.entries(gauges.loops)) (isEnded(status) ? ended : loops).set({ status }, count);
    stuck.set(gauges.oldestStuckSeconds);
    wakes.set(gauges.overdueWakes);
    if (gauges.reconcilerAgeSeconds !== null) reconciler.set(gauges.reconcilerAgeSeconds);
  };
  new Gauge({
    name: 'solidloop_tables_up',
    help: '1 where the tables could be read for this answer',
    registers,
    async collect() {
      for (const gauge of [loops, ended, stuck, wakes, reconciler]) gauge.reset();
      const gauges = await read().catch(() => undefined);
      this.set(gauges === undefined ? 0 : 1);
      if (gauges !== undefined) set(gauges);
    },
  });
}

const isEnded = (status: string): boolean => (ENDED as readonly string[]).includes(status);
