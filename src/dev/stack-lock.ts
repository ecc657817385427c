/** The lock file of a data folder: which process runs the stack there, its children, and where it answers. */

import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { errorCode } from '../util/error-code';
import { findProcessIdentity, isSameProcess } from '../util/process-identity';

export const LOCK_FILE = 'stack.json';

const processSchema = z.object({ name: z.string(), pid: z.number().int().positive(), identity: z.string() });

const addressesSchema = z.object({
  databaseUrl: z.string().optional(),
  temporalAddress: z.string().optional(),
  temporalNamespace: z.string().optional(),
  uiUrl: z.string().optional(),
  model: z.object({ baseURL: z.string(), model: z.string(), isSmall: z.boolean(), note: z.string() }).optional(),
});

const contentSchema = z.object({
  /** One start of the stack. */
  token: z.string(),
  owner: processSchema,
  state: z.enum(['starting', 'ready']),
  startedAt: z.string(),
  children: z.array(processSchema),
  addresses: addressesSchema,
});

/** A process with what tells it from a later one of the same number. */
export type LockedProcess = Readonly<z.infer<typeof processSchema>>;
/** What was started embedded; given servers and keys are not in the file. */
export type StackAddresses = Readonly<z.infer<typeof addressesSchema>>;
export type LockContent = Readonly<z.infer<typeof contentSchema>>;

/** The lock as its holder sees it. Changes are written at once. */
export interface StackLock {
  readonly addChild: (name: string, pid: number) => Promise<void>;
  readonly setReady: (addresses: StackAddresses) => Promise<void>;
  readonly release: () => Promise<void>;
}

/** Taken, or held by a living process. */
export type LockAttempt = { readonly kind: 'taken'; readonly lock: StackLock } | { readonly kind: 'held'; readonly content: LockContent };

/** A lock whose process is dead is removed; `endOrphans` is told of its children first. */
export async function acquireLock(
  dataFolder: string,
  endOrphans: (children: readonly LockedProcess[]) => Promise<void>,
): Promise<LockAttempt> {
  const file = join(dataFolder, LOCK_FILE);
  for (;;) {
    const lock = await createLock(file);
    if (lock !== undefined) return { kind: 'taken', lock };
    const content = await readLock(file);
    if (content === undefined) continue;
    if (content !== 'broken' && (await isHeld(content))) return { kind: 'held', content };
    if (!(await takeAway(file, content))) continue;
    if (content !== 'broken') await endOrphans(content.children);
  }
}

/** The addresses of the stack that runs in the data folder; undefined if none does or it is still starting. */
export async function findRunningStack(dataFolder: string): Promise<StackAddresses | undefined> {
  const content = await readLock(join(dataFolder, LOCK_FILE));
  if (content === undefined || content === 'broken' || content.state !== 'ready') return undefined;
  return (await isHeld(content)) ? content.addresses : undefined;
}

/** Undefined if there is no lock; `broken` if it cannot be understood. */
export async function readLock(file: string): Promise<LockContent | 'broken' | undefined> {
  try {
    return contentSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    if (error instanceof SyntaxError || error instanceof z.ZodError) return 'broken';
    throw error;
  }
}

export async function isHeld({ owner }: LockContent): Promise<boolean> {
  return isSameProcess(owner.pid, owner.identity);
}

async function createLock(file: string): Promise<StackLock | undefined> {
  const content: LockContent = {
    token: randomUUID(),
    owner: await toLockedProcess('stack', process.pid),
    state: 'starting',
    startedAt: new Date().toISOString(),
    children: [],
    addresses: {},
  };
  const draft = `${file}.${content.token}`;
  await writeContent(draft, content);
  try {
    // A link appears whole, and only if the name is free.
    await link(draft, file);
    return openLock(file, content);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return undefined;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

function openLock(file: string, created: LockContent): StackLock {
  let content = created;
  let written = Promise.resolve();
  // Children start side by side: their changes are written one after the other, each whole.
  const change = (changes: Partial<LockContent>): Promise<void> => {
    content = { ...content, ...changes };
    const next = content;
    written = written.then(() => replaceContent(file, next));
    return written;
  };
  return {
    addChild: async (name, pid) => {
      const child = await toLockedProcess(name, pid);
      return change({ children: [...content.children, child] });
    },
    setReady: async (addresses) => {
      // A child that was a shim at first (pyenv, asdf) has become the real program by now.
      const children = await Promise.all(content.children.map(({ name, pid }) => toLockedProcess(name, pid)));
      return change({ children, addresses, state: 'ready' });
    },
    release: () => rm(file, { force: true }),
  };
}

async function replaceContent(file: string, content: LockContent): Promise<void> {
  const draft = `${file}.${content.token}`;
  await writeContent(draft, content);
  await rename(draft, file);
}

/** False if another start was faster: what it put there since is put back. */
async function takeAway(file: string, expected: LockContent | 'broken'): Promise<boolean> {
  const away = `${file}.${randomUUID()}`;
  try {
    await rename(file, away);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
  const taken = await readLock(away);
  const isExpected = taken === 'broken' || (expected !== 'broken' && taken?.token === expected.token);
  if (!isExpected) await link(away, file);
  await rm(away);
  return isExpected;
}

async function toLockedProcess(name: string, pid: number): Promise<LockedProcess> {
  return { name, pid, identity: (await findProcessIdentity(pid)) ?? '' };
}

const writeContent = (file: string, content: LockContent): Promise<void> =>
  writeFile(file, `${JSON.stringify(content, undefined, 2)}\n`, { mode: 0o600 });
