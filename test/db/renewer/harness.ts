/** A renewer over a test's database, with its clock, log and listening connection. */

import { Client } from 'pg';
import { FenceListener } from '../../../src/db/leases/fence-listener';
import type { LostReason } from '../../../src/db/leases/lease-registration';
import { LeaseRenewer } from '../../../src/db/leases/lease-renewer';
import { systemClock } from '../../../src/util/clock';
import { FakeClock } from '../../support/fake-clock';
import { createRecordingLogger, type RecordingLogger } from '../../support/recording-logger';
import type { TestDatabase } from '../../support/database';

export interface RenewerHarness {
  readonly renewer: LeaseRenewer;
  readonly listener: FenceListener | undefined;
  readonly clock: FakeClock;
  readonly logger: RecordingLogger;
  /** Reasons of lost leases, in order. */
  readonly lost: LostReason[];
  readonly onLost: (reason: LostReason) => void;
  readonly close: () => Promise<void>;
}

export interface HarnessOptions {
  /** @default true */
  readonly listen?: boolean;
}

/** The listener's own timers run by the real clock, the renewer's by the fake one. */
export async function createHarness({ url }: TestDatabase, { listen = true }: HarnessOptions = {}): Promise<RenewerHarness> {
  const logger = createRecordingLogger();
  const clock = new FakeClock();
  const listener = listen ? new FenceListener({ connectionString: url, clock: systemClock, logger }) : undefined;
  await listener?.start();
  const renewer = new LeaseRenewer({
    connectionString: url,
    clock,
    logger,
    settings: { leaseLeakGrace: 300 },
    ...(listener ? { listener } : {}),
  });
  const lost: LostReason[] = [];
  return {
    renewer,
    listener,
    clock,
    logger,
    lost,
    onLost: (reason) => void lost.push(reason),
    close: async () => {
      await renewer.close();
      await listener?.close();
    },
  };
}

/** Runs statements on another database of the same server. */
export async function onOtherDatabase(url: string, statement: string): Promise<void> {
  const server = new URL(url);
  server.pathname = '/postgres';
  const client = new Client({ connectionString: server.href });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}

const nameOf = (url: string): string => new URL(url).pathname.slice(1);

/** Ends the connections with this application name, as a restart of the server would. */
export const cutConnections = (url: string, applicationName: string): Promise<void> =>
  onOtherDatabase(
    url,
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${nameOf(url)}' and application_name = '${applicationName}'`,
  );

/** No new connection is let in, and the renewer's is cut: the database is away. */
export async function takeDatabaseAway(url: string): Promise<void> {
  await onOtherDatabase(url, `alter database ${nameOf(url)} allow_connections false`);
  await cutConnections(url, 'solidloop-renew');
}

export const bringDatabaseBack = (url: string): Promise<void> =>
  onOtherDatabase(url, `alter database ${nameOf(url)} allow_connections true`);
