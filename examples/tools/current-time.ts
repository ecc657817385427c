/** The date and time, in any time zone. */

import { z } from 'zod';
import { defineTool } from '../../src/index';

export const currentTime = defineTool({
  name: 'current_time',
  description: 'Tell the current date and time.',
  input: z.object({ timeZone: z.string().optional().describe('Such as Europe/Berlin. UTC if absent.') }),
  effect: 'read',
  run: ({ timeZone = 'UTC' }) => `${formatNow(timeZone)} (${timeZone})`,
});

/** The same without a choice: a small model fills in any argument that it is offered. */
export const currentUtcTime = defineTool({
  name: 'current_time',
  description: 'Tell the current date and time.',
  effect: 'read',
  run: () => `${formatNow('UTC')} (UTC)`,
});

function formatNow(timeZone: string): string {
  try {
    return new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'full', timeStyle: 'medium' }).format(new Date());
  } catch (error) {
    throw new Error(`there is no time zone "${timeZone}"; give one such as Europe/Berlin`, { cause: error });
  }
}
