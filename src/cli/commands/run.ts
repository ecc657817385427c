/** `solidloop run`: begins a loop, shows it, and ends with its result. */

import type { Command } from 'commander';
import type { CommandRunner } from '../command-runner';
import { addStartOptions, type StartOptions, toClientStart } from '../start-options';
import { watchLoop } from '../watch-loop';

export function addRunCommand(program: Command, runner: CommandRunner): void {
  addStartOptions(program.command('run'))
    .description('start a loop, watch it, and exit with its result (completed 0, failed 1, cancelled 2)')
    .action((agent: string, message: string, options: StartOptions) =>
      runner.withClient(
        options,
        async ({ client }) => {
          const { loopId } = await client.start(await toClientStart(runner.context, agent, message, options));
          return watchLoop(runner, { client, loop: loopId, options });
        },
        { withAgents: true },
      ),
    );
}
