/** Loops under a random schedule of faults and controls, from a seed that the failure names. */

import { planChaos } from './support/chaos-plan';
import { runChaos } from './support/run-chaos';

const SEED = Number(process.env.SOLIDLOOP_CHAOS_SEED ?? 20_261_129);

describe('chaos', () => {
  it(`R10-R28, R33, R54-R68, R75: 50 loops and 100 faults of seed ${SEED} break no invariant`, async () => {
    const plan = planChaos({ seed: SEED, loops: 50, faults: 100 });
    const { violations, statuses } = await runChaos({ plan });
    expect(violations).toEqual([]);
    expect((statuses.completed ?? 0) + (statuses.cancelled ?? 0)).toBe(50);
  }, 300_000);

  it('R74: the same seed is the same schedule, another seed another one', () => {
    const size = { loops: 50, faults: 100 };
    expect(planChaos({ seed: 1, ...size })).toEqual(planChaos({ seed: 1, ...size }));
    expect(planChaos({ seed: 1, ...size })).not.toEqual(planChaos({ seed: 2, ...size }));
  });
});
