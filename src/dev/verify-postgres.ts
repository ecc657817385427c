/** Asks a Postgres that was given, before anything is built on it, whether it can be used. */

import { Client } from 'pg';
import { messageOf } from '../domain/errors';
import { errorCode } from '../util/error-code';
import { DevStackError } from './dev-stack-error';

const CONNECT_TIMEOUT_MS = 10_000;
const OLDEST_VERSION = 14;

/** What to do about a refusal, by SQLSTATE or the system's code. */
const ADVICE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'start it, or unset DATABASE_URL to use the embedded one',
  ENOTFOUND: 'correct the host in DATABASE_URL',
  ETIMEDOUT: 'check the address in DATABASE_URL and the network',
  '28P01': 'correct user and password in DATABASE_URL',
  '28000': 'correct user and password in DATABASE_URL',
  '3D000': 'create the database, or correct its name in DATABASE_URL',
};

/** @throws DevStackError that names host, port and database, never the password */
export async function verifyPostgres(databaseUrl: string): Promise<void> {
  const place = formatPlace(databaseUrl);
  const version = await readVersion(databaseUrl, place);
  if (version < OLDEST_VERSION) throw new DevStackError(`${place} is Postgres ${version}: version ${OLDEST_VERSION} or newer is needed`);
}

async function readVersion(connectionString: string, place: string): Promise<number> {
  const client = new Client({ connectionString, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  try {
    await client.connect();
    const { rows } = await client.query<{ version: string }>(`select current_setting('server_version_num') as version`);
    return Math.floor(Number(rows[0]?.version) / 10_000);
  } catch (error) {
    const code = errorCode(error) ?? '';
    const reason = messageOf(error) || code;
    throw new DevStackError(`${place} cannot be used (${reason}): ${ADVICE[code] ?? 'check DATABASE_URL'}`, { cause: error });
  } finally {
    await client.end();
  }
}

function formatPlace(databaseUrl: string): string {
  try {
    const { hostname, port, pathname } = new URL(databaseUrl);
    return `the Postgres database "${pathname.slice(1)}" at ${hostname}:${port || '5432'}`;
  } catch (error) {
    throw new DevStackError('DATABASE_URL is not a URL: it must look like postgresql://user:password@host:5432/database', { cause: error });
  }
}
