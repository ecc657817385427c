/** Fetches Python packages into a folder of the project: no virtual environment, nothing of the system is touched. */

import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { runProcess } from '../util/run-process';

const QUIET = ['--quiet', '--disable-pip-version-check', '--no-input'];

export interface PipOptions {
  readonly python: string;
  /** With its exact version: `name==1.2.3`. */
  readonly requirement: string;
  /** The finished folder: there as a whole, or not at all. */
  readonly folder: string;
  readonly signal?: AbortSignal | undefined;
}

/** Undefined when it worked; otherwise what pip said. */
export async function pipInstall({ python, requirement, folder, signal }: PipOptions): Promise<string | undefined> {
  return fillFolder(folder, (unfinished) =>
    runProcess(python, ['-m', 'pip', 'install', ...QUIET, '--target', unfinished, requirement], { signal }),
  );
}

/** Fetches the package's own file only, without what it depends on. Undefined when it worked; otherwise what pip said. */
export async function pipDownload({ python, requirement, folder, signal }: PipOptions): Promise<string | undefined> {
  return fillFolder(folder, (unfinished) =>
    runProcess(python, ['-m', 'pip', 'download', ...QUIET, '--no-deps', '--dest', unfinished, requirement], { signal }),
  );
}

async function fillFolder(folder: string, run: (unfinished: string) => ReturnType<typeof runProcess>): Promise<string | undefined> {
  const unfinished = `${folder}.${process.pid}`;
  await mkdir(dirname(folder), { recursive: true });
  try {
    const { exitCode, stderr } = await run(unfinished);
    if (exitCode !== 0) return lastLine(stderr);
    await rm(folder, { recursive: true, force: true });
    await rename(unfinished, folder);
    return undefined;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

const lastLine = (text: string): string =>
  text
    .trim()
    .split('\n')
    .findLast((line) => !line.startsWith('WARNING')) ?? 'no message';
