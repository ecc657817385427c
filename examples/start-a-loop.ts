/** Starts a loop inside the host's own transaction: both are committed, or none. */

import type { QueryExecutor, SolidLoopClient } from '../src/index';

export async function orderBook(client: SolidLoopClient, host: QueryExecutor, orderId: string): Promise<string> {
  const { loopId } = await client.start({
    agent: 'librarian',
    message: 'Find “Moby-Dick” and reserve it for me.',
    subject: { type: 'Order', id: orderId },
    key: `order-${orderId}`, // the same key is the same loop, however often this runs
    transaction: host, // the loop exists when your own rows do
  });
  return loopId;
}
