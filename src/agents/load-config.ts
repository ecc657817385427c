/** Loads `solidloop.config.ts` or `.js` of a folder, TypeScript included, and says in one sentence what is wrong with it. */

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { register } from 'tsx/cjs/api';
import { SolidLoopError, messageOf } from '../domain/errors';
import { defineConfig, type SolidLoopConfig } from './define-config';

export const CONFIG_FILE_NAMES = ['solidloop.config.ts', 'solidloop.config.js'] as const;

let isTypeScriptLoaded = false;

/**
 * The file exports `config`, or has it as its default export.
 * @throws ConfigError: no file, no export, a file that does not load (with the place), or a config that is not valid
 */
export function loadConfig(folder: string): SolidLoopConfig {
  const path = findConfigFile(folder);
  const loaded = loadModule(path);
  const config = exportedConfig(loaded);
  if (config === undefined) {
    throw new SolidLoopError('ConfigError', `${path} exports no config; add: export const config = defineConfig({ agents: [ … ] })`, {
      field: 'config',
    });
  }
  try {
    return defineConfig(config);
  } catch (error) {
    throw new SolidLoopError('ConfigError', `${path}: ${messageOf(error)}`, { cause: error });
  }
}

function findConfigFile(folder: string): string {
  const paths = CONFIG_FILE_NAMES.map((name) => resolve(join(folder, name)));
  const path = paths.find((candidate) => existsSync(candidate));
  if (path !== undefined) return path;
  throw new SolidLoopError(
    'ConfigError',
    `${resolve(folder)} has no ${CONFIG_FILE_NAMES.join(' or ')}; make one that exports defineConfig({ agents: [ … ] })`,
    { field: 'config' },
  );
}

function loadModule(path: string): unknown {
  try {
    if (path.endsWith('.ts')) loadTypeScriptFromNowOn();
    return createRequire(path)(path);
  } catch (error) {
    throw new SolidLoopError('ConfigError', `${path} cannot be loaded: ${reasonOf(error, path)}`, { cause: error });
  }
}

/** Never taken back: tools may load further files of the project when they run. */
function loadTypeScriptFromNowOn(): void {
  if (isTypeScriptLoaded) return;
  register();
  isTypeScriptLoaded = true;
}

/** The compiler's sentence names file and line itself; for an error of the running file the place is in its stack. */
function reasonOf(error: unknown, path: string): string {
  const lines = messageOf(error)
    .split('\n')
    .map((line) => line.trim());
  const compilerLine = lines.find((line) => line.includes(': ERROR: '));
  if (compilerLine !== undefined) return compilerLine;
  const place = error instanceof Error ? placeIn(error, path) : undefined;
  return place === undefined ? (lines[0] ?? '') : `${lines[0] ?? ''} (${place})`;
}

function placeIn(error: Error, path: string): string | undefined {
  const frames = error.stack?.split('\n').filter((line) => line.trimStart().startsWith('at ')) ?? [];
  const ownFrame = frames.find((frame) => frame.includes(dirname(path)) && !frame.includes('node_modules'));
  return ownFrame?.match(/\(?((?:file:\/\/)?[^\s()]+:\d+:\d+)\)?$/)?.[1];
}

function exportedConfig(loaded: unknown): SolidLoopConfig | undefined {
  const { config, default: byDefault } = loaded as {
    readonly config?: SolidLoopConfig;
    readonly default?: SolidLoopConfig | { readonly config?: SolidLoopConfig };
  };
  if (config !== undefined) return config;
  return byDefault !== undefined && 'agents' in byDefault ? byDefault : undefined;
}
