/** Looks for a program the way a shell does. */

import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';

export async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** The first executable file of this name in the folders; undefined if there is none. */
export async function findProgram(name: string, searchPath: readonly string[]): Promise<string | undefined> {
  for (const folder of searchPath) {
    const file = join(folder, name);
    if (await isExecutable(file)) return file;
  }
  return undefined;
}
