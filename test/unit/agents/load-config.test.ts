/** Loads real files in a process of its own, as the command line does: jest's module loader would hide the real one. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const loader = join(__dirname, '..', '..', '..', 'src', 'agents', 'load-config.ts');
const defineAgentFile = join(__dirname, '..', '..', '..', 'src', 'agents', 'define-agent.ts');

const SCRIPT = `
const { loadConfig } = require(process.argv[1]);
const results = process.argv.slice(2).map((folder) => {
  try { return { names: loadConfig(folder).agents.map((agent) => agent.name) }; }
  catch (error) { return { code: error.code, message: error.message }; }
});
console.log(JSON.stringify(results));`;

interface Loaded {
  readonly names?: readonly string[];
  readonly code?: string;
  readonly message?: string;
}

describe('loadConfig', () => {
  const folders: string[] = [];

  function folderWith(files: Readonly<Record<string, string>>): string {
    const folder = mkdtempSync(join(tmpdir(), 'config-'));
    folders.push(folder);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    return folder;
  }

  function load(...given: readonly string[]): readonly Loaded[] {
    const output = execFileSync(process.execPath, ['--require', 'tsx/cjs', '--eval', SCRIPT, loader, ...given], { encoding: 'utf8' });
    return JSON.parse(output) as readonly Loaded[];
  }

  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  const agent = `import { defineAgent } from ${JSON.stringify(defineAgentFile)};\nexport const helper = defineAgent({ name: 'helper', model: { name: 'm' } });\n`;

  it('loads TypeScript and JavaScript, by a named or a default export, and says what is wrong with others', () => {
    const good = folderWith({
      'agent.ts': agent,
      'solidloop.config.ts': "import { helper } from './agent';\nexport const config = { agents: [helper] };\n",
    });
    const byDefault = folderWith({
      'agent.ts': agent,
      'solidloop.config.js': "const { helper } = require('./agent.ts');\nmodule.exports = { default: { agents: [helper] } };\n",
    });
    const empty = folderWith({});
    const noExport = folderWith({ 'solidloop.config.ts': 'export const other = 1;\n' });
    const badSyntax = folderWith({ 'solidloop.config.ts': 'export const a = 1;\nexport const b = {;\n' });
    const badImport = folderWith({ 'solidloop.config.ts': "import x from 'not-there';\nexport const config = x;\n" });
    const throwing = folderWith({
      'solidloop.config.ts': 'const text: string | undefined = undefined;\nexport const config = text!.trim();\n',
    });
    const badAgent = folderWith({ 'solidloop.config.ts': "export const config = { agents: [{ name: 'raw', model: { name: 'm' } }] };\n" });

    const [first, second, third, fourth, fifth, sixth, seventh, eighth] = load(
      good,
      byDefault,
      empty,
      noExport,
      badSyntax,
      badImport,
      throwing,
      badAgent,
    );

    expect(first).toEqual({ names: ['helper'] });
    expect(second).toEqual({ names: ['helper'] });
    expect(third).toEqual({
      code: 'ConfigError',
      message: expect.stringMatching(/has no solidloop\.config\.ts or solidloop\.config\.js; make one/) as string,
    });
    expect(fourth).toEqual({
      code: 'ConfigError',
      message: expect.stringMatching(/exports no config; add: export const config/) as string,
    });
    expect(fifth?.message).toContain(`${join(badSyntax, 'solidloop.config.ts')}:2:18: ERROR: Expected identifier`);
    expect(sixth?.message).toMatch(/cannot be loaded: Cannot find module 'not-there'/);
    expect(seventh?.message).toContain(`(${join(throwing, 'solidloop.config.ts')}:2:`);
    expect(eighth?.message).toMatch(/agent "raw" was not made by defineAgent; wrap it/);
  });
});
