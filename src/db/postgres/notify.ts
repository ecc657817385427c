/** The channels of NOTIFY. Notices carry ids only, and are for rare events; readers look at the rows. */

import { CONTROL_CHANNEL } from '../loops/notify-control';

/**
 * `control`: the fences of this loop changed (payload: loop id). `launch`: an init row was made (payload: task queue).
 * `watch`: somebody watches this loop (payload: loop id).
 */
export const CHANNELS = { control: CONTROL_CHANNEL, launch: 'solid_loop_launch', watch: 'solid_loop_watch' } as const;
export type Channel = (typeof CHANNELS)[keyof typeof CHANNELS];
