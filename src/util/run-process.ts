/** Runs a program to its end and answers what it said. */

import { spawn, type SpawnOptions } from 'node:child_process';
import type { ProcessUser } from './process-user';

export interface RunOptions {
  readonly cwd?: string;
  /** The whole environment of the program. @default that of this process */
  readonly environment?: Readonly<Record<string, string>>;
  /** Run as this user; only root may ask for it. */
  readonly user?: ProcessUser | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface RunResult {
  /** Undefined if the program could not be started or was ended by a signal. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  /** What it wrote to standard error, or why it could not be started. */
  readonly stderr: string;
}

/**
 * A program that fails or is missing is a value, not an error.
 * @throws the signal's reason when aborted; the program is killed then
 */
export async function runProcess(command: string, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  options.signal?.throwIfAborted();
  const result = await runToEnd(command, args, options);
  options.signal?.throwIfAborted();
  return result;
}

function runToEnd(command: string, args: readonly string[], options: RunOptions): Promise<RunResult> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { ...toSpawnOptions(options), stdio: ['ignore', 'pipe', 'pipe'] });
    const output = { stdout: '', stderr: '' };
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
    child.once('error', (error) => resolve({ ...output, exitCode: undefined, stderr: output.stderr || error.message }));
    child.once('close', (code) => resolve({ ...output, exitCode: code ?? undefined }));
  });
}

function toSpawnOptions({ cwd, environment, user, signal }: RunOptions): SpawnOptions {
  return {
    ...(cwd === undefined ? {} : { cwd }),
    ...(environment === undefined ? {} : { env: environment }),
    ...(user === undefined ? {} : { uid: user.uid, gid: user.gid }),
    ...(signal === undefined ? {} : { signal, killSignal: 'SIGKILL' }),
  };
}
