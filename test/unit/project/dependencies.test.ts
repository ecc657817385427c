/** Every runtime dependency loads in plain CommonJS, under a licence that a product may ship. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../../..');
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { dependencies: Record<string, string> };
const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, { license?: string; dev?: boolean; resolved?: string; version?: string }>;
};

const TYPES_ONLY = ['@standard-schema/spec'];
const PERMISSIVE = /^(MIT|ISC|BSD|Apache-2\.0|0BSD|BlueOak|CC0|Unlicense|Python-2\.0|\(MIT OR|MIT OR|\(BSD|MPL-2\.0|WTFPL|CC-BY-4.0)/;

describe('the dependencies', () => {
  it.each(Object.keys(manifest.dependencies).filter((name) => !TYPES_ONLY.includes(name) && name !== 'tsx'))(
    '%s can be required',
    (name) => {
      expect(() => createRequire(__filename)(name) as unknown).not.toThrow();
    },
  );

  it('are permissively licensed at run time', () => {
    const wrong = Object.entries(lock.packages).filter(
      ([path, { license, dev }]) => path !== '' && dev !== true && license !== undefined && !PERMISSIVE.test(license),
    );
    expect(wrong).toEqual([]);
  });

  it('have one protobufjs of version 8 at the top, without which histories cannot be read as JSON', () => {
    expect(lock.packages['node_modules/protobufjs']?.version).toMatch(/^8\./);
  });
});
