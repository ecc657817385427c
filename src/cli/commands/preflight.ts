/** `solidloop preflight`: what a rollout of this code would meet, asked before it. Changes nothing. */

import type { Command } from 'commander';
import type { PreflightReport } from '../../preflight';
import type { CommandRunner } from '../command-runner';
import { addCommonOptions, type CommonOptions, loadConfigOf, resolveAddresses } from '../connection';
import { EXIT } from '../render/format-error';
import { formatPreflight } from '../render/format-preflight';

interface PreflightOptions extends CommonOptions {
  readonly strict?: boolean;
}

export function addPreflightCommand(program: Command, runner: CommandRunner): void {
  addCommonOptions(program.command('preflight'))
    .description('before a rollout: replay running workflows with this code, compare agents with those that live loops started with')
    .option('--strict', 'fail also where an agent is defined otherwise now')
    .action((options: PreflightOptions) =>
      runner.run(options, async () => {
        const { agents } = await loadConfigOf(runner.context, options);
        const report = await runner.context.preflight(await resolveAddresses(runner.context, options), agents);
        runner.print(options, report, () => formatPreflight(report, runner.context.terminal.paint));
        return isFine(report, options.strict === true) ? EXIT.completed : EXIT.failed;
      }),
    );
}

const isFine = ({ failures, differences }: PreflightReport, isStrict: boolean): boolean =>
  failures.length === 0 && differences.every(({ now }) => now !== null && !isStrict);
