// Builds dist/: compiled sources, the workflow bundle, and the files that are not TypeScript.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
rmSync('dist', { recursive: true, force: true });
execFileSync('node_modules/.bin/tsc', ['-p', 'tsconfig.build.json'], { stdio: 'inherit' });
cpSync('migrations', 'dist/migrations', { recursive: true });
mkdirSync('dist/src/dev', { recursive: true });
for (const file of ['model-server.py', 'small-model.jinja']) cpSync(`src/dev/${file}`, `dist/src/dev/${file}`);

const { bundleWorkflowCode } = require('@temporalio/worker');
const { code } = await bundleWorkflowCode({ workflowsPath: require.resolve('../dist/src/workflows/index.js') });
writeFileSync('dist/workflow-bundle.js', code);
