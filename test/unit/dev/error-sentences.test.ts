import { readdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { createDataFolder } from '../../../src/dev/data-folder';
import { startStack } from '../../../src/dev/stack';
import { choosePorts } from '../../../src/dev/stack-ports';
import { verifyPostgres } from '../../../src/dev/verify-postgres';
import { withStopSignals } from '../../../src/dev/with-stop-signals';
import { readDevEnvironment } from '../../../src/config/dev-environment';
import { findFreePort } from '../../../src/util/free-port';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder';

describe('a machine that is not as it should be is told in one sentence', () => {
  let folder: TemporaryFolder;
  beforeEach(() => (folder = createTemporaryFolder()));
  afterEach(() => folder.remove());

  it('a data folder that cannot be written', async () => {
    writeFileSync(join(folder.path, 'file'), '');
    await expect(createDataFolder(join(folder.path, 'file/data'))).rejects.toThrow(
      /the data folder .*file\/data cannot be written \(ENOTDIR.*\): make it writable, or name another one with SOLIDLOOP_DATA/,
    );
  });

  it('a folder that exists and in which none can be made', async () => {
    await expect(createDataFolder('/proc/solidloop/data')).rejects.toThrow(/the data folder \/proc\/solidloop\/data cannot be written/);
  });

  it('a DATABASE_URL that is no URL, without telling it', async () => {
    await expect(verifyPostgres('secret-password')).rejects.toThrow(
      'DATABASE_URL is not a URL: it must look like postgresql://user:password@host:5432/database',
    );
  });

  it('a given Postgres that does not answer, without its password', async () => {
    const port = await findFreePort();
    const failure = verifyPostgres(`postgresql://me:secret@127.0.0.1:${port}/mine`);
    await expect(failure).rejects.toThrow(
      `the Postgres database "mine" at 127.0.0.1:${port} cannot be used (connect ECONNREFUSED 127.0.0.1:${port}): start it, or unset DATABASE_URL to use the embedded one`,
    );
    await expect(failure).rejects.not.toThrow('secret');
  });

  it('a start that fails leaves no lock behind', async () => {
    const databaseUrl = `postgresql://a@127.0.0.1:${await findFreePort()}/b`;
    const failure = startStack({
      dataFolder: folder.path,
      environment: readDevEnvironment({ DATABASE_URL: databaseUrl }),
      print: () => undefined,
    });
    await expect(failure).rejects.toThrow('ECONNREFUSED');
    expect(readdirSync(folder.path)).toEqual([]);
  });

  it('Ctrl-C while something is under way', async () => {
    const running = withStopSignals(undefined, async (signal) => {
      process.emit('SIGINT', 'SIGINT');
      signal.throwIfAborted();
    });
    await expect(running).rejects.toThrow('stopped by SIGINT while starting; nothing was left running');
    expect(process.listeners('SIGINT')).toEqual([]);
  });
});

describe('ports', () => {
  it('the usual ones are kept if free; busy ones are replaced, and that is said', async () => {
    const blockers = await Promise.all([7233, 8233].map(occupy));
    try {
      const printed: string[] = [];
      const ports = await choosePorts('usual', (line) => printed.push(line));
      expect([ports.temporal, ports.ui]).not.toEqual(expect.arrayContaining([7233]));
      expect(printed).toContain(`Temporal: port 7233 is busy, using ${ports.temporal}`);
      expect(printed).toContain(`Temporal's UI: port 8233 is busy, using ${ports.ui}`);
    } finally {
      for (const server of blockers) server?.close();
    }
  });

  /** Undefined if somebody else has it: then it is as busy as it should be. */
  function occupy(port: number): Promise<Server | undefined> {
    return new Promise((resolve) => {
      const server = createServer();
      server.once('error', () => resolve(undefined));
      server.listen({ port, host: '127.0.0.1' }, () => resolve((server.address() as AddressInfo).port === port ? server : undefined));
    });
  }
});
