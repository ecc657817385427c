/** Tells a living process from a later one that got its number: start time and command line together. */

import { readFile } from 'node:fs/promises';
import { errorCode } from './error-code';
import { runProcess } from './run-process';

const START_TIME_FIELD = 22;

/** Undefined if there is no such process (or it is a zombie). Compare for equality only. */
export async function findProcessIdentity(pid: number): Promise<string | undefined> {
  return process.platform === 'linux' ? findOnLinux(pid) : findByPs(pid);
}

export async function isSameProcess(pid: number, identity: string): Promise<boolean> {
  return (await findProcessIdentity(pid)) === identity;
}

async function findOnLinux(pid: number): Promise<string | undefined> {
  try {
    const [stat, command] = await Promise.all([readFile(`/proc/${pid}/stat`, 'utf8'), readFile(`/proc/${pid}/cmdline`, 'utf8')]);
    // The second field is the name in parentheses and may hold spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const isZombie = fields[0] === 'Z';
    return isZombie ? undefined : `${fields[START_TIME_FIELD - 3] ?? ''} ${command.replaceAll('\0', ' ').trim()}`;
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ESRCH') return undefined;
    throw error;
  }
}

async function findByPs(pid: number): Promise<string | undefined> {
  const { exitCode, stdout } = await runProcess('ps', ['-o', 'lstart=,command=', '-p', String(pid)]);
  return exitCode === 0 ? stdout.trim() || undefined : undefined;
}
