/** Finds a TCP port that nobody listens on. */

import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

const LOOPBACK = '127.0.0.1';
/**
 * Below those that the system gives to outgoing connections (32768 and up on Linux): a client that dials a server which is down could be
 * given the server's own port, be connected with itself, and keep the server from starting again.
 */
const LISTENING_PORTS = { from: 10_000, below: 32_768 };

/** The preferred port if it is free, else any free one. Without a preference: any free one. */
export async function findFreePort(preferred?: number): Promise<number> {
  const port = preferred ?? randomInt(LISTENING_PORTS.from, LISTENING_PORTS.below);
  return (await isPortFree(port)) ? port : findFreePort();
}

/** Opens the port on the loopback address and closes it again; false if it is taken or not allowed. */
export async function isPortFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen({ port, host: LOOPBACK, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
