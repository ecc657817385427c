/** `solidloop reconcile`: repairs now what Temporal lost, as workers do on their schedule (R70). */

import { type Command, Option } from 'commander';
import { reconcile } from '../../db/reconcile/reconcile';
import { DEFAULT_SETTINGS } from '../../domain/settings';
import type { CommandRunner } from '../command-runner';
import { addCommonOptions, type CommonOptions, environmentOf } from '../connection';
import { EXIT } from '../render/format-error';
import { formatReconcile } from '../render/format-reconcile';
import { withTemporalAndDatabase } from '../with-temporal-and-database';

interface ReconcileOptions extends CommonOptions {
  readonly dryRun?: boolean;
  readonly onTerminated: 'pause' | 'restart';
}

export function addReconcileCommand(program: Command, runner: CommandRunner): void {
  addCommonOptions(program.command('reconcile'))
    .description('compare the tables with Temporal and start again what was lost')
    .option('--dry-run', 'only count what would be done')
    .addOption(
      new Option('--on-terminated <what>', 'a workflow that a person terminated: pause its loop, or restart it')
        .choices(['pause', 'restart'])
        .default('pause'),
    )
    .action((options: ReconcileOptions) =>
      withTemporalAndDatabase(runner, options, async ({ db, temporal }) => {
        const { engine } = environmentOf(runner.context, options);
        const dryRun = options.dryRun === true;
        const namespaceId = await temporal.driver.namespaceId();
        const settings = { ...DEFAULT_SETTINGS, ...engine };
        const counts = await reconcile(db, temporal.driver, { namespaceId, settings, dryRun, onTerminated: options.onTerminated });
        runner.print(options, counts, () => formatReconcile(counts, { dryRun, paint: runner.context.terminal.paint }));
        return counts.temporalUnavailable > 0 ? EXIT.unavailable : EXIT.completed;
      }),
    );
}
