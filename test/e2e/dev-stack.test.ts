// The embedded stack itself, in processes that are stopped, interrupted and killed.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Client } from 'pg';
import { readDevEnvironment } from '../../src/config/dev-environment';
import { removePostgresFolder } from '../../src/dev/postgres-folder';
import { startStack } from '../../src/dev/stack';
import { LOCK_FILE, type LockContent } from '../../src/dev/stack-lock';
import { findProcessIdentity } from '../../src/util/process-identity';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder';
import { waitUntil } from '../support/wait-until';

const PROJECT = resolve(__dirname, '../..');
const CACHE = join(PROJECT, '.cache');
jest.setTimeout(180_000);

describe('the embedded stack', () => {
  let folder: TemporaryFolder;
  const children: ChildProcess[] = [];

  beforeEach(() => {
    folder = createTemporaryFolder();
    chmodSync(folder.path, 0o755);
  });
  afterEach(async () => {
    for (const child of children.splice(0)) if (child.exitCode === null) child.kill('SIGTERM');
    await waitUntil('the end of the stack', areChildrenGone);
    await removePostgresFolder(folder.path);
    folder.remove();
  });

  interface RunningStack {
    readonly child: ChildProcess;
    readonly output: () => string;
    readonly ended: Promise<unknown>;
  }

  function run(): RunningStack {
    const child = spawn(process.execPath, ['--import', 'tsx', join(PROJECT, 'test/support/run-stack.ts'), folder.path, CACHE], {
      cwd: PROJECT,
    });
    children.push(child);
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    return { child, output: () => text, ended: once(child, 'exit') };
  }

  async function untilReady(stack: RunningStack): Promise<string> {
    const url = await waitUntil('the stack', () => /READY (.*)\n/.exec(stack.output())?.[1] ?? stack.child.exitCode !== null, 120_000);
    if (typeof url !== 'string') throw new Error(`the stack did not start: ${stack.output()}`);
    return url;
  }

  const readLockFile = (): LockContent | undefined =>
    existsSync(join(folder.path, LOCK_FILE)) ? (JSON.parse(readFileSync(join(folder.path, LOCK_FILE), 'utf8')) as LockContent) : undefined;

  const isRunning = async (pid: number): Promise<boolean> => (await findProcessIdentity(pid)) !== undefined;

  /** Whatever any start recorded in this folder. */
  let recorded: readonly number[] = [];
  const record = (): void => void (recorded = [...recorded, ...(readLockFile()?.children ?? []).map(({ pid }) => pid)]);
  const areChildrenGone = async (): Promise<boolean> => {
    record();
    return (await Promise.all(recorded.map(isRunning))).every((runs) => !runs);
  };

  async function query(url: string, statement: string): Promise<readonly unknown[]> {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(statement)).rows;
    } finally {
      await client.end();
    }
  }

  it('ends all that it started, and keeps its data for the next start', async () => {
    const first = run();
    await query(await untilReady(first), `create table kept as select 42 as answer`);
    record();
    first.child.kill('SIGTERM');
    await first.ended;
    expect(first.output()).toContain('STOPPED');
    expect(await areChildrenGone()).toBe(true);
    expect(readLockFile()).toBeUndefined();

    expect(await query(await untilReady(run()), 'select answer from kept')).toEqual([{ answer: 42 }]);
  });

  it('is used by a second start beside it, which ends nothing', async () => {
    const url = await untilReady(run());
    const printed: string[] = [];
    const second = await startStack({
      dataFolder: folder.path,
      cacheFolder: CACHE,
      environment: readDevEnvironment({}),
      print: (line) => printed.push(line),
    });
    expect(second).toMatchObject({ owned: false, databaseUrl: url, model: undefined });
    expect(printed).toEqual([`using the stack that process ${readLockFile()?.owner.pid ?? 0} runs in ${folder.path}`]);
    await second.stop();
    expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('that was killed with SIGKILL is cleaned up by the next start, which keeps the data', async () => {
    const killed = run();
    await query(await untilReady(killed), `create table kept as select 42 as answer`);
    record();
    killed.child.kill('SIGKILL');
    await killed.ended;
    expect(await Promise.all(recorded.map(isRunning))).toContain(true);

    const next = run();
    expect(await query(await untilReady(next), 'select answer from kept')).toEqual([{ answer: 42 }]);
    expect(next.output()).toMatch(/Postgres \(process \d+\) is left over from a start that was killed: ending it/);
  });

  it('that is interrupted while it starts leaves nothing running and no lock', async () => {
    const stack = run();
    await waitUntil('its first process', () => (readLockFile()?.children.length ?? 0) > 0, 60_000);
    record();
    stack.child.kill('SIGINT');
    await stack.ended;
    expect(stack.output()).toContain('FAILED stopped by SIGINT while starting; nothing was left running');
    expect(await areChildrenGone()).toBe(true);
    expect(readLockFile()).toBeUndefined();
  });
});
