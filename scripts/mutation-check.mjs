// Removes each fence in turn, in a copy of the tree, and runs the tests that should miss it. Writes docs/mutations.md.
//
// Usage: DATABASE_URL=… TEMPORAL_ADDRESS=… node scripts/mutation-check.mjs [--only <id>] [--keep]
// Exit code 1 where a fence can be removed and no test fails, or where the tests fail without a removal.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { FENCES } from './fences.mjs';
import { copyTree, patchTree } from './patched-copy.mjs';

const ROOT = resolve(import.meta.dirname, '..');
const REPORT = join(ROOT, 'docs/mutations.md');
const TEST_LIMIT_MS = 240_000;

const { values } = parseArgs({ options: { only: { type: 'string' }, keep: { type: 'boolean', default: false } } });
const tree = copyTree({ isKept: values.keep });

const results = FENCES.filter(({ id }) => values.only === undefined || id === values.only).map(checkFence);
if (values.only === undefined) writeFileSync(REPORT, formatReport(results));
process.exitCode = results.every(({ isCaught }) => isCaught) ? 0 : 1;

function checkFence(fence) {
  const before = runTests(fence);
  if (before.failed.length > 0)
    return report(fence, { isCaught: false, note: `fails without the removal: ${before.failed[0]}`, failed: [] });
  const restore = patchTree(tree, fence.edits);
  const { failed } = runTests(fence);
  restore();
  return report(fence, { isCaught: failed.length > 0, note: '', failed });
}

/** Titles of the tests that failed. */
function runTests({ tests, match }) {
  const output = join(tree, 'jest-results.json');
  rmSync(output, { force: true });
  const servers = process.env.DATABASE_URL && process.env.TEMPORAL_ADDRESS ? ['--globalSetup=', '--globalTeardown='] : [];
  const only = match === undefined ? [] : ['-t', match];
  const run = spawnSync('npx', ['jest', ...tests, ...only, '-w', '1', '--forceExit', '--json', `--outputFile=${output}`, ...servers], {
    cwd: tree,
    timeout: TEST_LIMIT_MS,
    encoding: 'utf8',
  });
  const results = readResults(output);
  if (results === undefined) return { failed: [`the tests did not end within ${TEST_LIMIT_MS / 1000} s: ${run.stderr.slice(-500)}`] };
  const failed = results.testResults.flatMap(({ assertionResults, message, status }) => {
    const titles = assertionResults.filter((test) => test.status === 'failed').map((test) => test.fullName);
    return titles.length === 0 && status === 'failed' ? [message.slice(0, 200)] : titles;
  });
  return { failed };
}

function readResults(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined; // said by the caller
  }
}

function report(fence, result) {
  process.stdout.write(`${result.isCaught ? 'caught' : 'NOT CAUGHT'}  ${fence.id}: ${result.failed.length} tests fail ${result.note}\n`);
  return { fence, ...result };
}

function formatReport(all) {
  const cell = (text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
  const code = (text) => `\`${cell(text.trim())}\``;
  const rows = all.map(({ fence, isCaught, failed, note }) => {
    const patch =
      fence.removal ??
      fence.edits
        .map(({ file, find, replace }) => `${file}: ${code(find)} → ${replace.trim() === '' ? 'nothing' : code(replace)}`)
        .join('<br>');
    const caught = isCaught ? `${cell(failed[0])}${failed.length > 1 ? ` (and ${failed.length - 1} more)` : ''}` : `**none** ${note}`;
    return `| ${fence.id} (${fence.rules}) | ${patch} | ${caught} |`;
  });
  return [
    '# What each fence is for: a test fails without it',
    '',
    '`npm run mutation-check` removes each fence in turn, by a small patch to a copy of the tree, and runs the tests that should miss it.',
    '',
    '| fence | removed by | test that fails |',
    '| --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}
