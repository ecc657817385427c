/** Workflow code that no recorded history fits: what a careless change of the real one would be. */

import { sleep } from '@temporalio/workflow';

export async function agentLoop(): Promise<void> {
  await sleep(1_000);
}
