/** `solidloop why`: one answer to "why is it not moving". */

import type { Command } from 'commander';
import type { CommandRunner } from '../command-runner';
import { addCommonOptions, type CommonOptions } from '../connection';
import { formatWhy } from '../render/format-why';

export function addWhyCommand(program: Command, runner: CommandRunner): void {
  addCommonOptions(program.command('why'))
    .description('why a loop is not moving, and what to do next')
    .argument('<loop>', 'its id or workflow id')
    .action((loop: string, options: CommonOptions) =>
      runner.withClient(options, async ({ client }) => {
        const why = await client.why(loop);
        runner.print(options, why, () => formatWhy(why, runner.context.terminal.paint));
        return undefined;
      }),
    );
}
