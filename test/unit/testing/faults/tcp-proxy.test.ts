/** The proxy between a worker and a server. */

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { startTcpProxy, type TcpProxy } from '../../../../src/testing/faults/tcp-proxy';
import { waitUntil } from '../../../support/wait-until';

let echo: Server;
let proxy: TcpProxy;
const clients: Socket[] = [];
beforeEach(async () => {
  echo = createServer((socket) => socket.on('error', () => undefined).pipe(socket)).listen(0, '127.0.0.1');
  await once(echo, 'listening');
  proxy = await startTcpProxy({ target: { host: '127.0.0.1', port: (echo.address() as AddressInfo).port } });
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await proxy.close();
  echo.close();
});

async function open(): Promise<{ readonly socket: Socket; readonly heard: () => string; readonly isClosed: () => boolean }> {
  const socket = connect({ host: proxy.host, port: proxy.port }).on('error', () => undefined);
  clients.push(socket);
  let text = '';
  let isClosed = false;
  socket.on('data', (chunk) => (text += chunk.toString())).on('close', () => (isClosed = true));
  await once(socket, 'connect');
  return { socket, heard: () => text, isClosed: () => isClosed };
}

describe('a proxy', () => {
  it('R24: passes bytes both ways', async () => {
    const { socket, heard } = await open();
    socket.write('hello');
    await waitUntil('the echo', () => heard() === 'hello');
  });

  it('R24: cuts what is open, and takes new connections', async () => {
    const first = await open();
    proxy.cut();
    await waitUntil('the cut', first.isClosed);
    const second = await open();
    second.socket.write('again');
    await waitUntil('the echo', () => second.heard() === 'again');
  });

  it('R24: refuses until it is healed', async () => {
    proxy.refuse();
    const refused = await open();
    await waitUntil('the refusal', refused.isClosed);
    proxy.heal();
    const taken = await open();
    taken.socket.write('now');
    await waitUntil('the echo', () => taken.heard() === 'now');
  });

  it('R24: holds bytes back until it is healed', async () => {
    const { socket, heard } = await open();
    socket.write('one');
    await waitUntil('the echo', () => heard() === 'one');
    proxy.hold();
    socket.write('two');
    const other = await open();
    other.socket.write('three');
    await new Promise((resolve) => setImmediate(resolve));
    expect([heard(), other.heard()]).toEqual(['one', '']);
    proxy.heal();
    await waitUntil('both echoes', () => heard() === 'onetwo' && other.heard() === 'three');
  });
});
