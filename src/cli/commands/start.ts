/** `solidloop start`: begins a loop and answers its id. */

import type { Command } from 'commander';
import type { CommandRunner } from '../command-runner';
import { addStartOptions, type StartOptions, toClientStart } from '../start-options';

export function addStartCommand(program: Command, runner: CommandRunner): void {
  addStartOptions(program.command('start'))
    .description('start a loop and leave it')
    .action((agent: string, message: string, options: StartOptions) =>
      runner.withClient(
        options,
        async ({ client }) => {
          const started = await client.start(await toClientStart(runner.context, agent, message, options));
          const { paint } = runner.context.terminal;
          const begun = started.isLaunched ? 'is started' : 'is kept; Temporal does not answer, and a worker starts it when it does';
          const what = started.isNew ? `loop ${started.loopId} ${begun}` : `the same start was made before: loop ${started.loopId}`;
          runner.print(
            options,
            started,
            () => `${paint.green('✓')} ${what} ${paint.dim(`(${started.status}, workflow ${started.workflowId})`)}`,
          );
          return undefined;
        },
        { withAgents: true },
      ),
    );
}
