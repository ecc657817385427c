/** A proxy of ours between a worker and a server: cuts, heals and holds sockets, as networks do. */

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export interface TcpTarget {
  readonly host: string;
  readonly port: number;
}

/** What is done with bytes of the client: some of them go on; then, perhaps, the connection is cut, at once or when the server has answered. */
export interface TapVerdict {
  readonly forward: Buffer;
  readonly then?: 'cut' | 'cut-at-answer';
}

/** Looks at what one client sends. One tap a connection. */
export type ClientTap = (chunk: Buffer) => TapVerdict;

export interface TcpProxyOptions {
  readonly target: TcpTarget;
  /** @default all bytes go on as they are */
  readonly createTap?: () => ClientTap;
}

export interface TcpProxy {
  readonly host: string;
  readonly port: number;
  /** Breaks off every connection that is open. New ones are taken. */
  readonly cut: () => void;
  /** Breaks off every connection, and each new one, until `heal`. */
  readonly refuse: () => void;
  /** Connections stay and no byte goes through, either way, until `heal`. */
  readonly hold: () => void;
  /** Takes back `refuse` and `hold`. */
  readonly heal: () => void;
  readonly close: () => Promise<void>;
}

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
}

/** Listens on a free port of 127.0.0.1. */
export async function startTcpProxy({ target, createTap = () => (forward) => ({ forward }) }: TcpProxyOptions): Promise<TcpProxy> {
  const pairs = new Set<Pair>();
  let isRefusing = false;
  let isHolding = false;

  const cutPair = (pair: Pair): void => {
    pairs.delete(pair);
    pair.client.destroy();
    pair.server.destroy();
  };
  const cut = (): void => pairs.forEach(cutPair);

  const listener = createServer((client) => {
    if (isRefusing) return void client.on('error', () => undefined).destroy();
    const pair = { client, server: connect(target) };
    pairs.add(pair);
    join(pair, createTap(), () => cutPair(pair));
    if (isHolding) pause(pair);
  });
  const { port } = await listen(listener);
  return {
    host: '127.0.0.1',
    port,
    cut,
    refuse: () => {
      isRefusing = true;
      cut();
    },
    hold: () => {
      isHolding = true;
      pairs.forEach(pause);
    },
    heal: () => {
      isRefusing = isHolding = false;
      for (const { client, server } of pairs) [client, server].forEach((socket) => socket.resume());
    },
    close: async () => {
      cut();
      listener.close();
      await once(listener, 'close');
    },
  };
}

/** Half-closed connections are passed on as such; an error of one side is the end of both. */
function join({ client, server }: Pair, tap: ClientTap, cut: () => void): void {
  let isCutAtAnswer = false;
  client.on('data', (chunk) => {
    const { forward, then } = tap(chunk);
    if (then === 'cut') {
      server.write(forward, cut);
      return;
    }
    isCutAtAnswer ||= then === 'cut-at-answer';
    server.write(forward);
  });
  server.on('data', (chunk) => (isCutAtAnswer ? cut() : client.write(chunk)));
  client
    .on('end', () => server.end())
    .on('error', cut)
    .on('close', cut);
  server
    .on('end', () => client.end())
    .on('error', cut)
    .on('close', cut);
}

function pause({ client, server }: Pair): void {
  client.pause();
  server.pause();
}

async function listen(listener: Server): Promise<AddressInfo> {
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return listener.address() as AddressInfo;
}
