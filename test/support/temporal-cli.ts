/** Temporal's own command line, as a person uses it. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { temporalAddress } from './workflows';

const run = promisify(execFile);

const MOST_ATTEMPTS = 20;

/** Output of one command in JSON. @throws Error with what the program said */
export async function temporalCli(...words: readonly string[]): Promise<unknown> {
  const cli = process.env.TEMPORAL_CLI;
  if (cli === undefined) throw new Error('TEMPORAL_CLI is not set: the global set-up of the tests did not run');
  return runUntilTaken(cli, words);
}

/** A server under load refuses what is sent to a busy workflow: it was not taken, and is sent again. */
async function runUntilTaken(cli: string, words: readonly string[], attempt = 1): Promise<unknown> {
  try {
    return await runProgram(cli, words);
  } catch (error) {
    if (attempt >= MOST_ATTEMPTS || !String((error as { stderr?: unknown }).stderr).includes('Workflow is busy')) throw error;
    return runUntilTaken(cli, words, attempt + 1);
  }
}

async function runProgram(cli: string, words: readonly string[]): Promise<unknown> {
  const { stdout } = await run(cli, [...words, '--address', temporalAddress(), '--output', 'json', '--log-level', 'never']);
  return stdout.trim() === '' ? undefined : JSON.parse(stdout);
}
