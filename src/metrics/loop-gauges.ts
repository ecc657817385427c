/** Gauges that are read from the tables when they are asked for. All workers show the same: take the maximum of them. */

import { Gauge, type Registry } from 'prom-client';
import type { LoopGauges } from '../db/loops/read-loop-gauges';

const ENDED: readonly string[] = ['completed', 'failed', 'cancelled'];

/** One gauge, by its labels' values; the empty text is the one without labels. */
type Values = Readonly<Record<string, number>>;

interface GaugeOfTables {
  readonly name: string;
  readonly help: string;
  readonly isByStatus?: true;
  readonly read: (gauges: LoopGauges) => Values;
}

const GAUGES: readonly GaugeOfTables[] = [
  {
    name: 'solidloop_loops',
    help: 'Live loops by status',
    isByStatus: true,
    read: ({ loops }) => pick(loops, (status) => !ENDED.includes(status)),
  },
  {
    name: 'solidloop_loops_ended_last_hour',
    help: 'Loops that ended within the last hour',
    isByStatus: true,
    read: ({ loops }) => pick(loops, (status) => ENDED.includes(status)),
  },
  {
    name: 'solidloop_oldest_stuck_seconds',
    help: 'How long the oldest loop that should move, and that nobody holds, has not moved',
    read: ({ oldestStuckSeconds }) => ({ '': oldestStuckSeconds }),
  },
  {
    name: 'solidloop_overdue_wakes',
    help: 'Changes from outside that no workflow has read',
    read: ({ overdueWakes }) => ({ '': overdueWakes }),
  },
  {
    name: 'solidloop_reconciler_age_seconds',
    help: 'Since the last run of the reconciler',
    read: ({ reconcilerAgeSeconds }): Values => (reconcilerAgeSeconds === null ? {} : { '': reconcilerAgeSeconds }),
  },
];

/** Where the tables cannot be read, the gauges are absent from the answer and `solidloop_tables_up` is 0. */
export function registerLoopGauges(registry: Registry, read: () => Promise<LoopGauges>): void {
  const readOnce = sharedRead(read);
  for (const { name, help, isByStatus, read: valuesOf } of GAUGES)
    new Gauge({
      name,
      help,
      labelNames: isByStatus === true ? ['status'] : [],
      registers: [registry],
      async collect() {
        const gauges = await readOnce();
        this.reset();
        if (isByStatus !== true) this.remove();
        for (const [status, value] of Object.entries(gauges === undefined ? {} : valuesOf(gauges)))
          this.set(status === '' ? {} : { status }, value);
      },
    });
  new Gauge({
    name: 'solidloop_tables_up',
    help: '1 where the tables could be read for this answer',
    registers: [registry],
    async collect() {
      this.set((await readOnce()) === undefined ? 0 : 1);
    },
  });
}

/** All gauges of one answer come of one reading. Undefined: the tables could not be read. */
function sharedRead(read: () => Promise<LoopGauges>): () => Promise<LoopGauges | undefined> {
  let reading: Promise<LoopGauges | undefined> | undefined;
  return () => {
    reading ??= read()
      .catch(() => undefined)
      .finally(() => (reading = undefined));
    return reading;
  };
}

const pick = (values: Values, isWanted: (name: string) => boolean): Values =>
  Object.fromEntries(Object.entries(values).filter(([name]) => isWanted(name)));
