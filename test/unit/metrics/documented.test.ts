/** The names of metrics are a contract: every one is in the table of the docs, with its labels, and nothing else is. */

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { registerLoopGauges } from '../../../src/metrics/loop-gauges';
import { PrometheusMetrics } from '../../../src/metrics/prometheus-metrics';

const LOOPS = { init: 1, queued: 1, running: 1, paused: 1, completed: 1, failed: 1, cancelled: 1 };

it('the docs name every metric of the engine with its labels', async () => {
  const metrics = new PrometheusMetrics();
  registerLoopGauges(metrics.registry, async () => ({ loops: LOOPS, oldestStuckSeconds: 1, overdueWakes: 1, reconcilerAgeSeconds: 1 }));
  metrics.stepStarted('turn', 1)('LostLease');
  metrics.providerCalled({ model: 'm', seconds: 1, errorClass: 'timeout' });
  const turn = { agent: 'a', model: 'm', usage: { prompt: 1, completion: 1, total: 2, promptCached: 0, reasoning: 0 } };
  for (const isKnown of [true, false]) metrics.turnCommitted({ ...turn, cost: { amountUsd: '1', isKnown } });
  const real = (await metrics.registry.getMetricsAsJSON())
    .filter(({ name }) => name.startsWith('solidloop_'))
    .map(
      ({ name, values }) =>
        `${name}: ${Object.keys(values[0]?.labels ?? {})
          .filter((label) => label !== 'le')
          .toSorted()
          .join(', ')}`,
    );

  const docs = readFileSync(join(resolve(__dirname, '../../..'), 'docs/operations.md'), 'utf8');
  const table = [...docs.matchAll(/^\| `(solidloop_\w+)`\s*\| ([^|]*)\|/gm)].map(([, name = '', labels = '']) => {
    const names = [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label);
    return `${name}: ${names.toSorted().join(', ')}`;
  });
  expect(table.toSorted()).toEqual(real.toSorted());
});
