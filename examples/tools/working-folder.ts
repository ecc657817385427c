/** One folder that file tools may read: every path of a model's goes through here, and none leads out (links resolved). */

import { constants } from 'node:fs';
import { open, readdir, realpath, stat, type FileHandle } from 'node:fs/promises';
import { isAbsolute, join, relative, sep, win32 } from 'node:path';

/** Folders of other people's files, and of no interest to a reader of this project. */
const SKIPPED_FOLDERS = new Set(['node_modules']);

export interface FolderEntry {
  readonly name: string;
  /** Relative to the working folder, with `/`. */
  readonly path: string;
  readonly kind: 'file' | 'folder';
}

export class WorkingFolder {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  /**
   * The real, absolute path of something inside the folder. Hidden names (`.env`, `.git`) are not given out.
   * @throws Error, with a sentence for the model, where the path leads out, is hidden, or is not there
   */
  async resolve(path: string): Promise<string> {
    assertRelativePath(path);
    const root = await realpath(this.#root);
    const real = await realpath(join(root, path)).catch((error: unknown) => {
      throw new Error(`there is no "${path}" in the working folder`, { cause: error });
    });
    const inside = relative(root, real);
    if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) throw leadsOut(path);
    if (inside.split(sep).some(isHidden)) throw new Error(`"${path}" is hidden and cannot be read`);
    return real;
  }

  /** Opens a regular file for reading. The caller closes it. */
  async openFile(path: string): Promise<FileHandle> {
    const real = await this.resolve(path);
    // Checked first, since opening a pipe would wait for its writer; and no link is followed that appeared after the check.
    if (!(await stat(real)).isFile()) throw new Error(`"${path}" is not a file`);
    return open(real, constants.O_RDONLY | constants.O_NOFOLLOW);
  }

  /** What a folder holds, by name; hidden entries, links and installed packages are left out. */
  async list(path: string): Promise<readonly FolderEntry[]> {
    const real = await this.resolve(path);
    if (!(await stat(real)).isDirectory()) throw new Error(`"${path}" is not a folder`);
    const base = relative(await realpath(this.#root), real);
    const entries = await readdir(real, { withFileTypes: true });
    return entries
      .filter((entry) => !isHidden(entry.name) && (entry.isFile() || (entry.isDirectory() && !SKIPPED_FOLDERS.has(entry.name))))
      .map((entry) => ({
        name: entry.name,
        path: join(base, entry.name).split(sep).join('/'),
        kind: entry.isFile() ? ('file' as const) : ('folder' as const),
      }))
      .sort((left, right) => (left.name < right.name ? -1 : 1));
  }
}

/** Refused before the file system is asked anything: also what would be absolute on another system. */
function assertRelativePath(path: string): void {
  if (path.includes('\0')) throw new Error('a path cannot hold a NUL character');
  if (isAbsolute(path) || win32.isAbsolute(path) || /^[a-z]:/i.test(path))
    throw new Error(`"${path}" is absolute; give a path inside the working folder, such as src/index.ts`);
  let depth = 0;
  for (const segment of path.split(/[/\\]/)) {
    if (segment === '..') depth -= 1;
    else if (segment !== '' && segment !== '.') depth += 1;
    if (depth < 0) throw leadsOut(path);
  }
}

const leadsOut = (path: string): Error => new Error(`"${path}" leads out of the working folder; only files inside it can be read`);

const isHidden = (name: string): boolean => name.startsWith('.') && name !== '.' && name !== '..';
