/** Webhooks with a signature that their receiver can check: made here, checked by `verifyWebhook`. */

import { createHmac, timingSafeEqual } from 'node:crypto';

export const SIGNATURE_HEADER = 'solidloop-signature';

/** A signature older than this may be a replay. Seconds. */
const TOLERANCE_SECONDS = 300;
const SIGNATURE = /^t=(\d{1,12}),v1=([\da-f]{64})$/;

/** `t=<seconds since 1970>,v1=<hex of HMAC-SHA256 over "<t>.<body>">` */
export function signWebhook(body: string, secret: string, at: Date): string {
  const seconds = Math.floor(at.getTime() / 1000);
  return `t=${seconds},v1=${digest(seconds, body, secret).toString('hex')}`;
}

export interface ReceivedWebhook {
  /** The body as it came, before any parsing. */
  readonly body: string;
  /** The header `solidloop-signature`. */
  readonly signature: string | null | undefined;
  readonly secret: string;
  /** @default 300 */
  readonly toleranceSeconds?: number;
  /** @default now */
  readonly now?: Date;
}

/** True where the body was signed with this secret, and not too long ago. For the receiver. */
export function verifyWebhook({
  body,
  signature,
  secret,
  toleranceSeconds = TOLERANCE_SECONDS,
  now = new Date(),
}: ReceivedWebhook): boolean {
  const [, time, given] = SIGNATURE.exec(signature ?? '') ?? [];
  if (time === undefined || given === undefined) return false;
  if (Math.abs(now.getTime() / 1000 - Number(time)) > toleranceSeconds) return false;
  return timingSafeEqual(Buffer.from(given, 'hex'), digest(Number(time), body, secret));
}

const digest = (seconds: number, body: string, secret: string): Buffer =>
  createHmac('sha256', secret).update(`${seconds}.${body}`).digest();
