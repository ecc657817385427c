/** The layers hold: walked from the sources themselves, so that a lint rule cannot be switched off quietly. */

import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join, relative, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../../..');
const SOURCES = join(ROOT, 'src');
const IMPORT = /^(?:import|export)\s+(type\s)?[^;]*?from '([^']+)'/gm;

interface Import {
  readonly file: string;
  readonly layer: string;
  readonly target: string;
  readonly isTypeOnly: boolean;
}

/** Read as text: the linter's module is ESM, and the tests run as CommonJS. */
function readLayers(): Readonly<Record<string, readonly string[]>> {
  const text = readFileSync(join(ROOT, 'layers.mjs'), 'utf8');
  const entries = [...text.matchAll(/^ {2}(\w+): \{\s*mayImport: \[([^\]]*)\]/gm)];
  return Object.fromEntries(
    entries.map(([, layer = '', list = '']) => [layer, [...list.matchAll(/'([^']+)'/g)].map(([, name = '']) => name)]),
  );
}

function findSources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return findSources(path);
    return entry.name.endsWith('.ts') ? [path] : [];
  });
}

const imports: readonly Import[] = findSources(SOURCES).flatMap((path) =>
  [...readFileSync(path, 'utf8').matchAll(IMPORT)].map(([, type, target = '']) => ({
    file: relative(ROOT, path),
    layer: relative(SOURCES, path).split('/')[0] ?? '',
    target: target.startsWith('.') ? relative(SOURCES, resolve(path, '..', target)) : target,
    isTypeOnly: type !== undefined,
  })),
);

describe('the layers', () => {
  const layers = readLayers();

  it('are all named in one list', () => {
    expect(Object.keys(layers).length).toBeGreaterThan(8);
    expect(imports.length).toBeGreaterThan(100);
  });

  it.each(Object.entries(layers))('%s imports only what it may', (layer, mayImport) => {
    const allowed = new Set([layer, ...mayImport]);
    const wrong = imports.filter(({ target, layer: from, isTypeOnly }) => {
      const room = target.split('/')[0] ?? '';
      const isOurs = layers[room] !== undefined || ['cli', 'dev', 'testing', 'app', 'run-worker'].includes(room);
      return from === layer && isOurs && !allowed.has(room) && !(layer === 'workflows' && isTypeOnly && room === 'activities');
    });
    expect(wrong).toEqual([]);
  });

  it('the domain and the workflows are free of Node, kysely, zod and everything else that a sandbox cannot have', () => {
    const isForeign = (target: string) =>
      !target.startsWith('@temporalio/') && (target.startsWith('node:') || builtinModules.includes(target) || /^[@a-z]/.test(target));
    const isOurs = (target: string) => layers[target.split('/')[0] ?? ''] !== undefined;
    const wrong = imports.filter(
      ({ layer, target }) =>
        (layer === 'domain' || layer === 'workflows') && !isOurs(target) && isForeign(target) && !target.startsWith('.'),
    );
    expect(wrong).toEqual([]);
    expect(imports.filter(({ layer, target }) => layer === 'domain' && target.startsWith('@temporalio/'))).toEqual([]);
  });

  it('the client takes of the workflows only their messages', () => {
    expect(
      imports.filter(({ layer, target }) => layer === 'client' && target.startsWith('workflows/') && target !== 'workflows/controls'),
    ).toEqual([]);
  });

  it('the environment is read in src/config alone', () => {
    const readers = findSources(SOURCES).filter(
      (path) => /process\.env\b/.test(readFileSync(path, 'utf8')) && !relative(SOURCES, path).startsWith('config/'),
    );
    expect(readers.map((path) => relative(ROOT, path))).toEqual([]);
  });
});
