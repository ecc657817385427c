/** `solidloop prune`: deletes what is older than the ages given; counts, and with --yes does it. */

import type { Command } from 'commander';
import { prune, type PruneAges } from '../../db/loops/prune';
import { SolidLoopError } from '../../domain/errors';
import type { CommandRunner } from '../command-runner';
import { addCommonOptions, type CommonOptions } from '../connection';
import { parseAge } from '../parse-options';
import { formatPrune } from '../render/format-erase';
import { EXIT } from '../render/format-error';

/** Nobody reads the parts of a turn that is over. Seconds. */
const LIVE_AGE_SECONDS = 3_600;

interface PruneOptions extends CommonOptions {
  readonly wire?: number;
  readonly live?: true | number;
  readonly events?: number;
  readonly loops?: number;
  readonly yes?: boolean;
}

export function addPruneCommand(program: Command, runner: CommandRunner): void {
  addCommonOptions(program.command('prune'))
    .description('delete what is older than the ages given (30d, 12h, 45m): counts, and with --yes does it')
    .option('--wire <age>', 'requests and answers of the wire log', parseAge)
    .option('--live [age]', 'parts of live streams (older than an hour, if no age is given)', parseAge)
    .option('--events <age>', 'other events, and runs of the reconciler', parseAge)
    .option('--loops <age>', 'loops that ended so long ago, with all their rows', parseAge)
    .option('--yes', 'do it')
    .action((options: PruneOptions) =>
      runner.withDatabase(options, async (db) => {
        const isDone = options.yes === true;
        const report = await prune(db, agesOf(options), { dryRun: !isDone });
        runner.print(options, report, () => formatPrune(report, { isDone, paint: runner.context.terminal.paint }));
        return isDone || Object.values(report).every((count) => count === 0) ? EXIT.completed : EXIT.usage;
      }),
    );
}

/** @throws InvalidInput where no age is given: nothing is deleted by default */
function agesOf({ wire, live, events, loops }: PruneOptions): PruneAges {
  const ages = { wire, live: live === true ? LIVE_AGE_SECONDS : live, events, loops };
  const given = Object.entries(ages).filter(([, age]) => age !== undefined);
  if (given.length === 0)
    throw new SolidLoopError('InvalidInput', 'say what is to go, and from which age: --wire 30d, --live, --events 90d, --loops 365d', {
      field: 'age',
    });
  return Object.fromEntries(given);
}
