/** The command line: commands, help, usage errors. Answers the exit code; ends no process. */

import { Command, CommanderError } from 'commander';
import { addAdoptCommand } from './commands/adopt';
import { addControlCommands } from './commands/control';
import { addDevCommand } from './commands/dev';
import { addEraseCommand } from './commands/erase';
import { addListCommand } from './commands/list';
import { addMigrateCommand } from './commands/migrate';
import { addPreflightCommand } from './commands/preflight';
import { addPruneCommand } from './commands/prune';
import { addReconcileCommand } from './commands/reconcile';
import { addResultCommand } from './commands/result';
import { addRunCommand } from './commands/run';
import { addSetupCommand } from './commands/setup';
import { addShowCommand } from './commands/show';
import { addStartCommand } from './commands/start';
import { addTailCommand } from './commands/tail';
import { addWhyCommand } from './commands/why';
import { addWorkerCommand } from './commands/worker';
import { CommandRunner } from './command-runner';
import type { CliContext } from './context';
import { EXIT } from './render/format-error';

const GROUPS = [
  { heading: 'On this machine:', add: [addDevCommand] },
  {
    heading: 'Loops:',
    add: [addRunCommand, addStartCommand, addListCommand, addShowCommand, addTailCommand, addResultCommand, addWhyCommand],
  },
  { heading: 'Control:', add: [addControlCommands] },
  {
    heading: 'Operation:',
    add: [
      addWorkerCommand,
      addMigrateCommand,
      addSetupCommand,
      addPreflightCommand,
      addReconcileCommand,
      addAdoptCommand,
      addEraseCommand,
      addPruneCommand,
    ],
  },
] as const;

const EXIT_CODES =
  'Exit codes: completed 0, failed 1, cancelled 2, not ended yet 3, wrong usage 64, refused 65, not found 66, a server away 69, config 78.';

/** `words`: what follows the program's name. */
export async function runCli(words: readonly string[], context: CliContext): Promise<number> {
  const runner = new CommandRunner(context);
  const program = createProgram(runner);
  try {
    await program.parseAsync([...words], { from: 'user' });
    return runner.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.completed : EXIT.usage;
    throw error;
  }
}

function createProgram(runner: CommandRunner): Command {
  const { terminal } = runner.context;
  const program = new Command('solidloop')
    .description('LLM agent loops that survive anything')
    .version(runner.context.version, '-V, --version', 'show the version')
    .exitOverride()
    .showSuggestionAfterError()
    .configureOutput({
      writeOut: (text) => terminal.write(text),
      writeErr: (text) => terminal.writeError(text.trimEnd()),
      outputError: (text, write) => write(`${terminal.paintError.red('✗')} ${text.replace(/^error: /, '')}`),
    })
    .helpCommand(false)
    .addHelpText('after', `\n${EXIT_CODES}`);
  for (const { heading, add } of GROUPS) {
    program.commandsGroup(heading);
    for (const addCommand of add) addCommand(program, runner);
  }
  return program;
}
