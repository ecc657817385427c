/** Temporal's own command line, as a person uses it. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { temporalAddress } from './workflows';

const run = promisify(execFile);

/** Output of one command in JSON. @throws Error with what the program said */
export async function temporalCli(...words: readonly string[]): Promise<unknown> {
  const cli = process.env.TEMPORAL_CLI;
  if (cli === undefined) throw new Error('TEMPORAL_CLI is not set: the global set-up of the tests did not run');
  const { stdout } = await run(cli, [...words, '--address', temporalAddress(), '--output', 'json', '--log-level', 'never']);
  return stdout.trim() === '' ? undefined : JSON.parse(stdout);
}
