/** Lends both servers to the commands that compare them. */

import type { Database } from '../db/database';
import type { CommandRunner } from './command-runner';
import { type CommonOptions, resolveAddresses } from './connection';
import type { TemporalSession } from './context';

export interface BothServers {
  readonly db: Database;
  readonly temporal: TemporalSession;
}

export async function withTemporalAndDatabase(
  runner: CommandRunner,
  options: CommonOptions,
  body: (servers: BothServers) => Promise<number>,
): Promise<void> {
  await runner.run(options, async () => {
    const addresses = await resolveAddresses(runner.context, options);
    const temporal = await runner.context.openTemporal(addresses);
    const db = runner.context.openDatabase(addresses.databaseUrl);
    return body({ db, temporal }).finally(() => Promise.all([db.destroy(), temporal.close()]));
  });
}
