/** `solidloop erase`: deletes a loop with all its rows; counts, and with --yes does it. */

import type { Command } from 'commander';
import type { CommandRunner } from '../command-runner';
import { addCommonOptions, type CommonOptions } from '../connection';
import { formatErase } from '../render/format-erase';
import { EXIT } from '../render/format-error';

interface EraseOptions extends CommonOptions {
  readonly yes?: boolean;
  readonly force?: boolean;
}

export function addEraseCommand(program: Command, runner: CommandRunner): void {
  addCommonOptions(program.command('erase'))
    .description('delete a loop with all its rows: counts, and with --yes does it')
    .argument('<loop>', 'its id or workflow id')
    .option('--yes', 'do it')
    .option('--force', 'stop it first, where it has not ended')
    .action((loop: string, options: EraseOptions) =>
      runner.withClient(options, async ({ client }) => {
        const isDone = options.yes === true;
        const report = await client.erase(loop, { dryRun: !isDone, force: options.force === true });
        runner.print(options, { ...report, isErased: isDone }, () => formatErase(report, { isDone, paint: runner.context.terminal.paint }));
        return isDone ? EXIT.completed : EXIT.usage;
      }),
    );
}
