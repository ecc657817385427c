import { mkdirSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repairLinks } from '../../../src/dev/postgres-binaries';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder';

describe('library links that the installation left out', () => {
  let folder: TemporaryFolder;
  let printed: string[];

  beforeEach(() => {
    folder = createTemporaryFolder();
    printed = [];
    mkdirSync(join(folder.path, 'native/lib'), { recursive: true });
    const links = ['a', 'b'].map((name) => ({ source: `native/lib/lib${name}.so.1.2`, target: `native/lib/lib${name}.so.1` }));
    writeFileSync(join(folder.path, 'native/pg-symlinks.json'), JSON.stringify(links));
  });
  afterEach(() => folder.remove());

  const repair = (): Promise<void> => repairLinks(folder.path, (line) => printed.push(line));
  const target = (name: string): string => readlinkSync(join(folder.path, `native/lib/lib${name}.so.1`));

  it('are made, relative to their folder', async () => {
    symlinkSync('liba.so.1.2', join(folder.path, 'native/lib/liba.so.1'));
    await repair();
    expect([target('a'), target('b')]).toEqual(['liba.so.1.2', 'libb.so.1.2']);
    expect(printed).toEqual(['Postgres: made 1 library links that the installation had left out']);
  });

  it('are not touched where all are there', async () => {
    await repair();
    printed = [];
    await repair();
    expect(printed).toEqual([]);
  });
});
