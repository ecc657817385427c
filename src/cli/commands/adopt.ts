/** `solidloop adopt`: takes over loops that another Temporal server drove; counts first (R71). */

import type { Command } from 'commander';
import { adopt } from '../../db/loops/adopt';
import type { CommandRunner } from '../command-runner';
import { addCommonOptions, type CommonOptions } from '../connection';
import { EXIT } from '../render/format-error';
import { formatAdopt } from '../render/format-adopt';
import { withTemporalAndDatabase } from '../with-temporal-and-database';

interface AdoptOptions extends CommonOptions {
  readonly yes?: boolean;
}

export function addAdoptCommand(program: Command, runner: CommandRunner): void {
  addCommonOptions(program.command('adopt'))
    .description('take over the loops of a restored copy or of another Temporal server: counts, and with --yes does it')
    .option('--yes', 'do it: the server they belonged to must not drive them any more')
    .action((options: AdoptOptions) =>
      withTemporalAndDatabase(runner, options, async ({ db, temporal }) => {
        const isDone = options.yes === true;
        const report = await adopt(db, await temporal.driver.namespaceId(), { dryRun: !isDone });
        runner.print(options, report, () => formatAdopt(report, { isDone, paint: runner.context.terminal.paint }));
        return isDone || Object.keys(report.loops).length === 0 ? EXIT.completed : EXIT.usage;
      }),
    );
}
