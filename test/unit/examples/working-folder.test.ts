import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import fc from 'fast-check';
import { WorkingFolder } from '../../../examples/tools/working-folder';

describe('WorkingFolder', () => {
  let outer: string;
  let root: string;
  let folder: WorkingFolder;

  beforeAll(() => {
    outer = realpathSync(mkdtempSync(join(tmpdir(), 'folder-')));
    root = join(outer, 'work');
    mkdirSync(join(root, 'src', 'deep'), { recursive: true });
    mkdirSync(join(root, 'node_modules', 'package'), { recursive: true });
    mkdirSync(join(outer, 'work-twin'));
    writeFileSync(join(outer, 'secret.txt'), 'secret');
    writeFileSync(join(outer, 'work-twin', 'secret.txt'), 'secret');
    writeFileSync(join(root, 'a.txt'), 'a');
    writeFileSync(join(root, '.env'), 'KEY=secret');
    writeFileSync(join(root, '..name.txt'), 'odd');
    writeFileSync(join(root, 'src', 'deep', 'b.txt'), 'b');
    symlinkSync(join(outer, 'secret.txt'), join(root, 'link-out.txt'));
    symlinkSync(outer, join(root, 'link-up'));
    symlinkSync(join('..', '..', 'secret.txt'), join(root, 'src', 'relative-link.txt'));
    symlinkSync(join(root, 'a.txt'), join(root, 'link-in.txt'));
    symlinkSync(join(root, '.env'), join(root, 'link-to-hidden.txt'));
    execFileSync('mkfifo', [join(root, 'pipe')]);
    folder = new WorkingFolder(root);
  });

  afterAll(() => rmSync(outer, { recursive: true, force: true }));

  it.each([
    ['a.txt', 'a.txt'],
    ['./a.txt', 'a.txt'],
    ['src/../a.txt', 'a.txt'],
    ['src//deep/b.txt', join('src', 'deep', 'b.txt')],
    ['link-in.txt', 'a.txt'],
    ['.', ''],
    ['', ''],
  ])('finds %p inside', async (path, inside) => {
    await expect(folder.resolve(path)).resolves.toBe(join(root, inside));
  });

  it.each([
    ['..', /leads out/],
    ['../secret.txt', /leads out/],
    ['../work-twin/secret.txt', /leads out/],
    ['src/../../secret.txt', /leads out/],
    ['src/../../work/a.txt', /leads out/],
    ['..\\secret.txt', /leads out/],
    ['link-out.txt', /leads out/],
    ['link-up/secret.txt', /leads out/],
    ['link-up/work-twin/secret.txt', /leads out/],
    ['src/relative-link.txt', /leads out/],
    ['/etc/passwd', /is absolute/],
    ['C:\\secret.txt', /is absolute/],
    ['c:secret.txt', /is absolute/],
    ['\\\\server\\share', /is absolute/],
    ['a.txt\0.png', /NUL/],
    ['.env', /is hidden/],
    ['link-to-hidden.txt', /is hidden/],
    ['nothing.txt', /there is no "nothing\.txt"/],
    ['a.txt/b', /there is no "a\.txt\/b"/],
  ])('refuses %p', async (path, message) => {
    await expect(folder.resolve(path)).rejects.toThrow(message);
  });

  it('gives nothing outside, whatever path a model writes', async () => {
    const segment = fc.constantFrom(
      '..',
      '.',
      '',
      'src',
      'deep',
      'a.txt',
      'b.txt',
      'link-up',
      'link-out.txt',
      'work',
      'work-twin',
      'secret.txt',
      '.env',
      '/',
      '\\',
      '\0',
      'C:',
      '~',
      '%2e%2e',
    );
    const path = fc
      .array(segment, { maxLength: 8 })
      .chain((segments) => fc.constantFrom('/', '\\').map((separator) => segments.join(separator)));
    let found = 0;
    await fc.assert(
      fc.asyncProperty(fc.oneof(path, fc.string({ unit: 'binary', maxLength: 20 })), async (given) => {
        const real = await folder.resolve(given).catch(() => undefined);
        if (real === undefined) return;
        found += 1;
        const inside = relative(root, real);
        expect(inside === '..' || inside.startsWith(`..${sep}`)).toBe(false);
        expect(real).not.toMatch(/secret|\.env/);
      }),
      { numRuns: 500 },
    );
    expect(found).toBeGreaterThan(0);
  });

  it('lists what is there, without hidden entries, links and packages', async () => {
    await expect(folder.list('.')).resolves.toEqual([
      { name: 'a.txt', path: 'a.txt', kind: 'file' },
      { name: 'src', path: 'src', kind: 'folder' },
    ]);
    await expect(folder.list('src/deep')).resolves.toEqual([{ name: 'b.txt', path: 'src/deep/b.txt', kind: 'file' }]);
    await expect(folder.list('a.txt')).rejects.toThrow('"a.txt" is not a folder');
  });

  it('opens regular files alone: a pipe would never answer', async () => {
    await expect(folder.openFile('pipe')).rejects.toThrow('"pipe" is not a file');
    await expect(folder.openFile('src')).rejects.toThrow('"src" is not a file');
  });
});
