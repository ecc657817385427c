/** Searches the text files under a folder, line by line, within fixed bounds. */

import { readTextFile } from './read-text-file';
import type { WorkingFolder } from './working-folder';

const MAX_MATCHES = 100;
const MAX_FILES = 5_000;
const MAX_FILE_BYTES = 1024 * 1024;
const MAX_LINE_CHARS = 200;

export interface Search {
  readonly text: string;
  readonly path: string;
  readonly signal: AbortSignal;
  readonly onFolder: (path: string) => void;
}

/** `path:line: text`, one match a line, and a note where a bound ended the search. */
export async function searchFolder(folder: WorkingFolder, { text, path, signal, onFolder }: Search): Promise<string> {
  const wanted = text.toLowerCase();
  const matches: string[] = [];
  const folders = [path];
  let fileCount = 0;
  for (let current = folders.shift(); current !== undefined; current = folders.shift()) {
    onFolder(current);
    for (const entry of await folder.list(current)) {
      signal.throwIfAborted();
      if (entry.kind === 'folder') {
        folders.push(entry.path);
        continue;
      }
      fileCount += 1;
      matches.push(...(await matchesIn(folder, entry.path, wanted)));
      if (matches.length >= MAX_MATCHES)
        return [...matches.slice(0, MAX_MATCHES), `(only the first ${MAX_MATCHES} matches are shown)`].join('\n');
      if (fileCount >= MAX_FILES) return [...matches, `(the search ended after ${MAX_FILES} files)`].join('\n');
    }
  }
  return matches.join('\n') || `no file has "${text}"`;
}

async function matchesIn(folder: WorkingFolder, path: string, wanted: string): Promise<readonly string[]> {
  const text = await textOf(folder, path);
  return text
    .split('\n')
    .map((line, index) => ({ line, number: index + 1 }))
    .filter(({ line }) => line.toLowerCase().includes(wanted))
    .map(({ line, number }) => `${path}:${number}: ${line.trim().slice(0, MAX_LINE_CHARS)}`);
}

/** Files that are no text, or cannot be read, have no matches: a search goes on past them. */
async function textOf(folder: WorkingFolder, path: string): Promise<string> {
  try {
    return (await readTextFile(folder, path, { fromByte: 0, maxBytes: MAX_FILE_BYTES })).text;
  } catch {
    return '';
  }
}
