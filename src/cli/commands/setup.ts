/** `solidloop setup`: registers in Temporal what loops can be found by, and says what it did. */

import type { Command } from 'commander';
import type { CommandRunner } from '../command-runner';
import { addCommonOptions, type CommonOptions, resolveAddresses } from '../connection';

export function addSetupCommand(program: Command, runner: CommandRunner): void {
  addCommonOptions(program.command('setup'))
    .description("register the search attributes of loops in Temporal's namespace; never required")
    .action((options: CommonOptions) =>
      runner.run(options, async () => {
        const addresses = await resolveAddresses(runner.context, options);
        const temporal = await runner.context.openTemporal(addresses);
        const registered = await temporal.registerSearchAttributes().finally(() => temporal.close());
        const { paint } = runner.context.terminal;
        const what =
          registered.length === 0
            ? 'all search attributes were there'
            : `registered: ${registered.join(', ')}; restart the workers, so that they set them`;
        runner.print(
          options,
          { namespace: addresses.namespace, registered },
          () => `${paint.green('✓')} ${what} ${paint.dim(`(namespace ${addresses.namespace})`)}`,
        );
        return undefined;
      }),
    );
}
