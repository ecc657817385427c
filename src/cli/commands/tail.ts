/** `solidloop tail`: shows a loop from its first message on, or from now, until it ends. */

import type { Command } from 'commander';
import type { CommandRunner } from '../command-runner';
import { addCommonOptions, type CommonOptions } from '../connection';
import { parseWholeNumber } from '../parse-options';
import { watchLoop } from '../watch-loop';

interface TailOptions extends CommonOptions {
  readonly after?: number;
}

export function addTailCommand(program: Command, runner: CommandRunner): void {
  addCommonOptions(program.command('tail'))
    .description('watch a loop until it ends (Ctrl-C leaves it running)')
    .argument('<loop>', 'its id or workflow id')
    .option('--after <seq>', 'only messages after this place in the transcript', parseWholeNumber)
    .action((loop: string, options: TailOptions) =>
      runner.withClient(options, async ({ client }) => {
        const { id } = await client.get(loop);
        return watchLoop(runner, { client, loop: id, options, ...(options.after === undefined ? {} : { from: { seq: options.after } }) });
      }),
    );
}
