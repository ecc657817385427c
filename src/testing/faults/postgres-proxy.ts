/** A proxy before Postgres that can lose a COMMIT: before it arrives, in its middle, or its answer after it was done. */

import { FrontendReader, type FrontendMessage } from './frontend-messages';
import { type ClientTap, startTcpProxy, type TapVerdict, type TcpProxy } from './tcp-proxy';

/**
 * `before`: the server never hears of it, and rolls back. `during`: it hears half of it, and rolls back. `answer-lost`: it
 * commits, and the client never hears so.
 */
export const COMMIT_FAULTS = ['before', 'during', 'answer-lost'] as const;
export type CommitFault = (typeof COMMIT_FAULTS)[number];

export interface PostgresProxyOptions {
  /** postgresql:// */
  readonly databaseUrl: string;
  /** Asked at each COMMIT with the statements of its transaction. Undefined: it goes through. */
  readonly onCommit?: (statements: string) => CommitFault | undefined;
}

export interface PostgresProxy extends TcpProxy {
  /** The database's address through the proxy. */
  readonly url: string;
}

export async function startPostgresProxy({ databaseUrl, onCommit = () => undefined }: PostgresProxyOptions): Promise<PostgresProxy> {
  const url = new URL(databaseUrl);
  const target = { host: url.hostname, port: Number(url.port || 5432) };
  const proxy = await startTcpProxy({ target, createTap: () => createCommitTap(onCommit) });
  url.hostname = proxy.host;
  url.port = String(proxy.port);
  return { ...proxy, url: url.href };
}

export function createCommitTap(onCommit: (statements: string) => CommitFault | undefined): ClientTap {
  const reader = new FrontendReader();
  let statements = '';
  return (chunk) => {
    const whole: Buffer[] = [];
    for (const message of reader.push(chunk)) {
      if (isQuery(message, 'begin')) statements = '';
      const fault = isQuery(message, 'commit') ? onCommit(statements) : undefined;
      if (fault !== undefined) return verdictOf(fault, whole, message.bytes);
      statements += message.sql;
      whole.push(message.bytes);
    }
    return { forward: Buffer.concat(whole) };
  };
}

const isQuery = ({ type, sql }: FrontendMessage, start: string): boolean => type === 'Q' && sql.trim().toLowerCase().startsWith(start);

function verdictOf(fault: CommitFault, before: readonly Buffer[], commit: Buffer): TapVerdict {
  switch (fault) {
    case 'before':
      return { forward: Buffer.concat(before), then: 'cut' };
    case 'during':
      return { forward: Buffer.concat([...before, commit.subarray(0, Math.floor(commit.length / 2))]), then: 'cut' };
    case 'answer-lost':
      return { forward: Buffer.concat([...before, commit]), then: 'cut-at-answer' };
  }
}
