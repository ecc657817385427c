/** Three tools that look at the working folder: list, read, search. They change nothing. */

import { z } from 'zod';
import { defineTool, type ToolDefinition } from '../../src/index';
import { readTextFile } from './read-text-file';
import { searchFolder } from './search-folder';
import { WorkingFolder } from './working-folder';

const MAX_LISTED_ENTRIES = 500;
const MAX_READ_BYTES = 32 * 1024;

export function createFileTools(root: string): readonly ToolDefinition[] {
  const folder = new WorkingFolder(root);
  return [listFiles(folder), readFile(folder), searchFiles(folder)];
}

const listFiles = (folder: WorkingFolder): ToolDefinition =>
  defineTool({
    name: 'list_files',
    description: 'Lists the files and folders of a folder of the working directory. Names of folders end in "/".',
    input: z.object({ path: z.string().default('.').describe('A folder, such as "src". The working directory if absent.') }),
    effect: 'read',
    run: async ({ path }) => {
      const entries = await folder.list(path);
      const names = entries.slice(0, MAX_LISTED_ENTRIES).map(({ path: of, kind }) => (kind === 'folder' ? `${of}/` : of));
      const rest = entries.length - names.length;
      return [...names, ...(rest > 0 ? [`(and ${rest} more)`] : [])].join('\n') || '(empty)';
    },
  });

const readFile = (folder: WorkingFolder): ToolDefinition =>
  defineTool({
    name: 'read_file',
    description: `Reads a text file of the working directory, at most ${MAX_READ_BYTES / 1024} kB at a time.`,
    input: z.object({
      path: z.string().describe('Such as "src/index.ts".'),
      fromByte: z.number().int().nonnegative().default(0).describe('Where to read on.'),
    }),
    effect: 'read',
    run: async ({ path, fromByte }) => {
      const { text, sizeBytes, nextByte } = await readTextFile(folder, path, { fromByte, maxBytes: MAX_READ_BYTES });
      return nextByte === undefined ? text : `${text}\n(${sizeBytes} bytes in all; to read on: fromByte ${nextByte})`;
    },
  });

const searchFiles = (folder: WorkingFolder): ToolDefinition =>
  defineTool({
    name: 'search_files',
    description:
      'Searches the text files of the working directory for a text, upper and lower case alike. Answers path, line number and line.',
    input: z.object({ text: z.string().min(1), path: z.string().default('.').describe('The folder to search in.') }),
    effect: 'read',
    timeoutSeconds: 60,
    run: ({ text, path }, { signal, heartbeat }) => searchFolder(folder, { text, path, signal, onFolder: heartbeat }),
  });
