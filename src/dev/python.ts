/** Finds a Python that can run the embedded model's server. */

import { runProcess } from '../util/run-process';
import { DevStackError } from './dev-stack-error';
import { findProgram } from './find-program';

const OLDEST_MINOR = 10;
const ADVICE = 'install Python 3.10 or newer with pip, or name a model with OPENAI_BASE_URL, OPENAI_API_KEY and SOLIDLOOP_MODEL';

/**
 * The path of a Python ≥ 3.10 that has pip.
 * @throws DevStackError that says what is missing
 */
export async function findPython(searchPath: readonly string[]): Promise<string> {
  const python = await findProgram('python3', searchPath);
  if (python === undefined) throw new DevStackError(`the embedded model needs Python, and there is no python3 on the PATH: ${ADVICE}`);
  const { exitCode, stdout, stderr } = await runProcess(python, ['-c', 'import sys, pip; print("%d.%d" % sys.version_info[:2])']);
  if (exitCode !== 0) throw new DevStackError(`${python} cannot be used for the embedded model (${lastLine(stderr)}): ${ADVICE}`);
  const [major, minor] = stdout.trim().split('.').map(Number);
  if (major === 3 && minor !== undefined && minor >= OLDEST_MINOR) return python;
  throw new DevStackError(`${python} is Python ${stdout.trim()}, too old for the embedded model: ${ADVICE}`);
}

const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? '';
