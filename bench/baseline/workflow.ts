/** The baseline: the least that a hand-written loop on Temporal does. Two activities a turn, ids only, no fences, no heartbeat, no wire log. */

import { proxyActivities } from '@temporalio/workflow';
import type { createBaselineActivities } from './activities';

const { callModel, runTool } = proxyActivities<ReturnType<typeof createBaselineActivities>>({ startToCloseTimeout: '1m' });

export async function baselineLoop(loop: string): Promise<void> {
  for (let seq = 1; ;) {
    const { calls } = await callModel(loop, seq);
    seq += 1;
    if (calls === 0) return;
    for (let call = 0; call < calls; call++, seq++) await runTool(loop, seq - 1 - call, call, seq);
  }
}
