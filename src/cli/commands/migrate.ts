/** `solidloop migrate`: brings the tables to the newest version. */

import type { Command } from 'commander';
import { migrateToLatest, schemaState } from '../../db/migrate';
import type { CommandRunner } from '../command-runner';
import { addCommonOptions, type CommonOptions } from '../connection';
import { EXIT } from '../render/format-error';
import { plural } from '../render/text';

interface MigrateOptions extends CommonOptions {
  readonly check?: boolean;
}

export function addMigrateCommand(program: Command, runner: CommandRunner): void {
  addCommonOptions(program.command('migrate'))
    .description('bring the tables (schema solid_loop) to the newest version; safe to run many times at once')
    .option('--check', 'only say whether they are; exits with 1 where they are not')
    .action((options: MigrateOptions) =>
      runner.withDatabase(options, async (db) => {
        const { paint } = runner.context.terminal;
        if (options.check === true) {
          const state = await schemaState(db);
          runner.print(options, { state }, () =>
            state === 'current'
              ? `${paint.green('✓')} the tables are current`
              : `${paint.yellow('!')} the tables are ${state} than this code`,
          );
          return state === 'current' ? EXIT.completed : EXIT.failed;
        }
        const outcome = await migrateToLatest(db);
        const count = outcome.executed.length;
        const what = count === 0 ? 'the tables were current' : `${plural(count, 'migration')} executed: ${outcome.executed.join(', ')}`;
        runner.print(options, outcome, () => `${paint.green('✓')} ${what}`);
        return EXIT.completed;
      }),
    );
}
