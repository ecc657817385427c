/** `solidloop worker`: a worker process of the config's agents, until SIGTERM or Ctrl-C. */

import type { Command } from 'commander';
import type { CommandRunner } from '../command-runner';
import { addCommonOptions, type CommonOptions, environmentOf, loadConfigOf, resolveAddresses } from '../connection';

export function addWorkerCommand(program: Command, runner: CommandRunner): void {
  addCommonOptions(program.command('worker'))
    .description("run a worker of the config's agents (ends with SIGTERM or Ctrl-C, handing over what is in flight)")
    .action((options: CommonOptions) =>
      runner.run(options, async () => {
        const environment = environmentOf(runner.context, options);
        const config = await loadConfigOf(runner.context, options);
        const { namespace: temporalNamespace, ...addresses } = await resolveAddresses(runner.context, options);
        await runner.context.runWorker({ ...environment, ...addresses, temporalNamespace }, config);
        return undefined;
      }),
    );
}
