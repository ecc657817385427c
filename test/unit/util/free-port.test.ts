import { createServer } from 'node:net';
import { once } from 'node:events';
import { findFreePort, isPortFree } from '../../../src/util/free-port';

/** Linux gives ports from here to outgoing connections. */
const FIRST_OUTGOING_PORT = 32_768;

test('a port that is found is free, and none that an outgoing connection may be given', async () => {
  for (let round = 0; round < 20; round++) {
    const port = await findFreePort();
    expect(port).toBeLessThan(FIRST_OUTGOING_PORT);
    expect(await isPortFree(port)).toBe(true);
  }
});

test('a preferred port is taken where it is free, else another one is found', async () => {
  const preferred = await findFreePort();
  expect(await findFreePort(preferred)).toBe(preferred);
  const server = createServer().listen({ port: preferred, host: '127.0.0.1' });
  await once(server, 'listening');
  expect(await findFreePort(preferred)).not.toBe(preferred);
  server.close();
});
