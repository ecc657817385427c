#!/usr/bin/env node
/** The program `solidloop`. */

import { createProcessContext } from './process-context';
import { runCli } from './run-cli';

void runCli(process.argv.slice(2), createProcessContext()).then((exitCode) => {
  process.exitCode = exitCode;
});
