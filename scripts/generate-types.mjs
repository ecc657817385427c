// Writes src/db/tables/generated.ts from a freshly migrated database: DATABASE_URL names a server that may make databases.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import 'tsx/cjs';

const require = createRequire(import.meta.url);
const { Client } = require('pg');
const { createDatabase } = require('../src/db/database.ts');
const { migrateToLatest } = require('../src/db/migrate.ts');

const server = process.env.DATABASE_URL;
if (!server) throw new Error('set DATABASE_URL to a Postgres server, for instance that of `npm start`');
const name = `solidloop_types_${randomBytes(4).toString('hex')}`;
const admin = new Client({ connectionString: server });
await admin.connect();
await admin.query(`create database ${name}`);
const url = Object.assign(new URL(server), { pathname: `/${name}` }).href;
const db = createDatabase({ connectionString: url, onIdleError: () => undefined });
try {
  await migrateToLatest(db);
  execFileSync(
    'node_modules/.bin/kysely-codegen',
    [
      '--url',
      url,
      '--dialect',
      'postgres',
      '--default-schema',
      'solid_loop',
      '--include-pattern',
      'solid_loop.*',
      '--exclude-pattern',
      'solid_loop.migrations*',
      '--out-file',
      'src/db/tables/generated.ts',
    ],
    { stdio: 'inherit' },
  );
} finally {
  await db.destroy();
  await admin.query(`drop database ${name} with (force)`);
  await admin.end();
}
