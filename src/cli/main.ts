#!/usr/bin/env node
/** The program `solidloop`. */

import { errorCode } from '../util/error-code';
import { createProcessContext } from './process-context';
import { runCli } from './run-cli';

// The reader of a pipe has seen enough, as `head` does: nobody is left to write to.
process.stdout.on('error', (error) => {
  if (errorCode(error) !== 'EPIPE') throw error;
  process.exit();
});

void runCli(process.argv.slice(2), createProcessContext()).then((exitCode) => {
  process.exitCode = exitCode;
});
