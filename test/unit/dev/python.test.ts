import { findPython } from '../../../src/dev/python';
import { createTemporaryFolder, type TemporaryFolder, writeProgram } from '../../support/temporary-folder';

describe('the Python of the embedded model', () => {
  let folder: TemporaryFolder;
  beforeEach(() => (folder = createTemporaryFolder()));
  afterEach(() => folder.remove());

  it('is the first python3 of the PATH that is new enough', async () => {
    const python = writeProgram(folder.path, 'python3', 'echo 3.10');
    expect(await findPython(['/nowhere', folder.path])).toBe(python);
  });

  it.each([
    ['is missing', undefined, /needs Python, and there is no python3 on the PATH: install Python 3\.10 or newer with pip/],
    ['is too old', 'echo 3.9', /python3 is Python 3\.9, too old for the embedded model: install Python 3\.10/],
    [
      'has no pip',
      'echo "ModuleNotFoundError: No module named pip" >&2; exit 1',
      /cannot be used for the embedded model \(ModuleNotFoundError: No module named pip\): install/,
    ],
  ])('one sentence says that it %s and what to do', async (_, script, sentence) => {
    if (script !== undefined) writeProgram(folder.path, 'python3', script);
    await expect(findPython([folder.path])).rejects.toThrow(sentence);
  });
});
