/** Finds a TCP port that nobody listens on. */

import { createServer } from 'node:net';

const LOOPBACK = '127.0.0.1';

/** The preferred port if it is free, else any free one. Without a preference: any free one. */
export async function findFreePort(preferred?: number): Promise<number> {
  if (preferred !== undefined && (await isPortFree(preferred))) return preferred;
  return (await listenOnce(0)) ?? findFreePort();
}

export async function isPortFree(port: number): Promise<boolean> {
  return (await listenOnce(port)) !== undefined;
}

/** Opens the port on the loopback address and closes it again; undefined if it is taken or not allowed. */
async function listenOnce(port: number): Promise<number | undefined> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(undefined));
    server.listen({ port, host: LOOPBACK, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : undefined));
    });
  });
}
