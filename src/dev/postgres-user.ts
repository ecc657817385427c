/** Postgres refuses to run as root: this finds, or makes, the user that it runs as then. */

import type { ProcessUser } from '../util/process-user';
import { runProcess } from '../util/run-process';
import { DevStackError } from './dev-stack-error';
import type { Print } from './print';

const USER = 'postgres';

/**
 * Undefined if this process is not root: Postgres then runs as the same user.
 * @throws DevStackError if root cannot make the user
 */
export async function findOrCreatePostgresUser(print: Print): Promise<ProcessUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const found = await findUser();
  if (found !== undefined) return found;
  print(`Postgres does not run as root: making the system user "${USER}"`);
  const { stderr } = await runProcess('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/bin/false', USER]);
  const created = await findUser();
  if (created !== undefined) return created;
  throw new DevStackError(
    `Postgres does not run as root, and the user "${USER}" could not be made (${stderr.trim()}): make it by hand, start as another user, or set DATABASE_URL to a Postgres of yours`,
  );
}

/** Whether the user may enter the folder, its parents included. Asked of the system itself, which also knows access lists. */
export async function canEnter(folder: string, user: ProcessUser | undefined): Promise<boolean> {
  const { exitCode } = await runProcess('/bin/sh', ['-c', 'cd -- "$1"', 'sh', folder], { user, cwd: '/' });
  return exitCode === 0;
}

async function findUser(): Promise<ProcessUser | undefined> {
  const [user, group] = await Promise.all([runProcess('id', ['-u', USER]), runProcess('id', ['-g', USER])]);
  if (user.exitCode !== 0 || group.exitCode !== 0) return undefined;
  return { uid: Number(user.stdout), gid: Number(group.stdout) };
}
