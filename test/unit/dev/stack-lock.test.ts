import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  acquireLock,
  findRunningStack,
  LOCK_FILE,
  type LockAttempt,
  type LockedProcess,
  type StackLock,
} from '../../../src/dev/stack-lock';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder';

describe('the lock file of a data folder', () => {
  let folder: TemporaryFolder;
  let orphans: LockedProcess[];

  beforeEach(() => {
    folder = createTemporaryFolder();
    orphans = [];
  });
  afterEach(() => folder.remove());

  const acquire = (): Promise<LockAttempt> => acquireLock(folder.path, async (children) => void orphans.push(...children));
  const take = async (): Promise<StackLock> => {
    const attempt = await acquire();
    if (attempt.kind === 'held') throw new Error('the lock is held');
    return attempt.lock;
  };
  const file = (): string => join(folder.path, LOCK_FILE);

  /** The lock as a process would leave it that was killed. */
  async function leaveBehind(children: readonly LockedProcess[]): Promise<void> {
    await take();
    const child = spawn('true');
    await once(child, 'exit');
    const content = JSON.parse(readFileSync(file(), 'utf8')) as { owner: { pid: number | undefined }; children: readonly LockedProcess[] };
    writeFileSync(file(), JSON.stringify({ ...content, owner: { ...content.owner, pid: child.pid }, children }));
  }

  it('a second start sees who holds it, and where the stack answers once it is ready', async () => {
    const lock = await take();
    expect(await acquire()).toMatchObject({ kind: 'held', content: { state: 'starting', owner: { pid: process.pid } } });
    expect(await findRunningStack(folder.path)).toBeUndefined();
    await lock.setReady({ databaseUrl: 'postgresql://a', temporalAddress: 'b:1' });
    expect(await acquire()).toMatchObject({ kind: 'held', content: { state: 'ready', addresses: { databaseUrl: 'postgresql://a' } } });
    expect(await findRunningStack(folder.path)).toEqual({ databaseUrl: 'postgresql://a', temporalAddress: 'b:1' });
  });

  it('is free again after its release, and leaves no other files', async () => {
    const lock = await take();
    await lock.addChild('Postgres', process.pid);
    await lock.release();
    expect(readdirSync(folder.path)).toEqual([]);
    expect(await acquire()).toMatchObject({ kind: 'taken' });
  });

  it('children that start at the same time are all recorded', async () => {
    const lock = await take();
    await Promise.all(['a', 'b', 'c'].map((name) => lock.addChild(name, process.pid)));
    await lock.setReady({});
    const { children } = JSON.parse(readFileSync(file(), 'utf8')) as { children: readonly LockedProcess[] };
    expect(children.map(({ name }) => name).sort()).toEqual(['a', 'b', 'c']);
    expect(children[0]?.identity).toContain(process.argv0);
  });

  it('of a dead process is taken over, after its children were told', async () => {
    const child = { name: 'Postgres', pid: 4711, identity: 'x' };
    await leaveBehind([child]);
    expect(await acquire()).toMatchObject({ kind: 'taken' });
    expect(orphans).toEqual([child]);
  });

  it('of a living process with the number of a dead one is taken over', async () => {
    await take();
    const content = JSON.parse(readFileSync(file(), 'utf8')) as { owner: LockedProcess };
    writeFileSync(file(), JSON.stringify({ ...content, owner: { ...content.owner, identity: 'another program' } }));
    expect(await acquire()).toMatchObject({ kind: 'taken' });
  });

  it('that cannot be understood is replaced', async () => {
    writeFileSync(file(), '{ "half":');
    expect(await acquire()).toMatchObject({ kind: 'taken' });
  });

  it('of a dead process is taken over by exactly one of ten starts', async () => {
    await leaveBehind([]);
    const attempts = await Promise.all(Array.from({ length: 10 }, acquire));
    expect(attempts.filter(({ kind }) => kind === 'taken')).toHaveLength(1);
    expect(readdirSync(folder.path)).toEqual([LOCK_FILE]);
  });
});
