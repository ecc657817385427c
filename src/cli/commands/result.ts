/** `solidloop result`: the answer of a loop, and how it ended as the exit code. */

import type { Command } from 'commander';
import type { LoopOutcome } from '../../client/solid-loop-client';
import { isTerminal } from '../../domain/loop';
import type { CommandRunner } from '../command-runner';
import { addCommonOptions, type CommonOptions } from '../connection';
import { EXIT } from '../render/format-error';
import { printable } from '../render/text';

interface ResultOptions extends CommonOptions {
  readonly wait: boolean;
}

export function addResultCommand(program: Command, runner: CommandRunner): void {
  addCommonOptions(program.command('result'))
    .description('the answer of a loop, once it has ended (exit code: completed 0, failed 1, cancelled 2)')
    .argument('<loop>', 'its id or workflow id')
    .option('--no-wait', 'do not wait; exit with 3 where it has not ended')
    .action((loop: string, options: ResultOptions) =>
      runner.withClient(options, async ({ client }) => {
        const outcome = await runner.context.withInterrupt((signal) => client.result(loop, { wait: options.wait, signal }));
        tell(runner, options, outcome);
        return isTerminal(outcome.status) ? EXIT[outcome.status] : EXIT.pending;
      }),
    );
}

/** The answer alone goes to standard output, so that a pipe gets nothing else. */
function tell(runner: CommandRunner, options: ResultOptions, outcome: LoopOutcome): void {
  const { writeError, paintError } = runner.context.terminal;
  if (options.json === true || outcome.answer !== null) runner.print(options, outcome, () => printable(outcome.answer ?? '').trimEnd());
  if (options.json === true || outcome.status === 'completed') return;
  const reason = outcome.errorCode === null ? '' : `: ${outcome.errorCode}: ${printable(outcome.errorMessage ?? '')}`;
  writeError(paintError.yellow(`loop ${outcome.loopId} is ${outcome.status}${reason}`));
}
