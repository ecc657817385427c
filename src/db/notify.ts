/** The channels of NOTIFY and the one statement that sends on them. Notices carry ids only; readers look at the rows. */

import { type Kysely, sql } from 'kysely';
import type { LoopId } from '../domain/ids';

/**
 * `control`: the fences of this loop changed (payload: loop id). `launch`: an init row was made (payload: task queue).
 * `watch`: somebody watches this loop (payload: loop id). For rare events only: NOTIFY takes a lock of the whole server at commit.
 */
export const CHANNELS = { control: 'solid_loop_control', launch: 'solid_loop_launch', watch: 'solid_loop_watch' } as const;
export type Channel = (typeof CHANNELS)[keyof typeof CHANNELS];

/** Delivered when the transaction commits, and never if it does not. */
export async function notify<Schema>(db: Kysely<Schema>, channel: Channel, payload: string): Promise<void> {
  await sql`select pg_notify(${channel}, ${payload})`.execute(db);
}

/** Tells the processes that hold a loop that its fences changed: they read them again at once (R60). */
export async function notifyControl<Schema>(db: Kysely<Schema>, loopId: LoopId): Promise<void> {
  await notify(db, CHANNELS.control, loopId);
}
