// A copy of the tree as git knows it, with small patches: each `find` stands once in its file.

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');

/** A folder with the files that git knows or would take, as they are now. It is removed when the process ends, unless it is kept. */
export function copyTree({ isKept = false } = {}) {
  const tree = mkdtempSync(join(tmpdir(), 'solidloop-copy-'));
  process.once('exit', () => isKept || rmSync(tree, { recursive: true, force: true }));
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' })
    .split('\n')
    .filter(Boolean);
  for (const file of files) {
    mkdirSync(dirname(join(tree, file)), { recursive: true });
    cpSync(join(ROOT, file), join(tree, file));
  }
  symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'));
  return tree;
}

/** Gives the way back. @throws where a `find` does not stand once in its file */
export function patchTree(tree, edits) {
  const originals = edits.map(({ file, find, replace }) => {
    const path = join(tree, file);
    const text = readFileSync(path, 'utf8');
    if (text.split(find).length !== 2) throw new Error(`${file} does not have once: ${find}`);
    writeFileSync(
      path,
      text.replace(find, () => replace),
    );
    return { path, text };
  });
  return () => {
    for (const { path, text } of originals.toReversed()) writeFileSync(path, text);
  };
}
