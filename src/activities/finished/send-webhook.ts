/** The signed webhook that tells of the end of a loop. Its address is the operator's own. */

import type { SolidLoopConfig } from '../../agents/define-config';
import type { FinishedLoop } from '../../db/loops/finished-loops';
import { SIGNATURE_HEADER, signWebhook } from '../../util/signed-webhook';

const TIMEOUT_MS = 10_000;

type Webhook = NonNullable<SolidLoopConfig['webhook']>;

/** @throws Error where it was not answered with a status of 200 to 299 in time; redirects are not followed */
export async function sendWebhook({ url, secret }: Webhook, key: string, { loop, answer }: FinishedLoop): Promise<void> {
  const body = JSON.stringify({
    loopId: loop.id,
    workflowId: loop.workflowId,
    agent: loop.agentName,
    status: loop.status,
    ...(answer === null ? {} : { answer }),
    errorCode: loop.errorCode,
  });
  const response = await fetch(url, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', 'idempotency-key': key, [SIGNATURE_HEADER]: signWebhook(body, secret, new Date()) },
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the webhook was answered with status ${response.status}`);
}
