/** `solidloop list` */

import type { Command } from 'commander';
import type { LoopStatus, Subject } from '../../domain/loop';
import type { CommandRunner } from '../command-runner';
import { addCommonOptions, type CommonOptions } from '../connection';
import { parseCount, parseStatuses, parseSubject } from '../parse-options';
import { formatLoopList } from '../render/format-loop-list';

interface ListOptions extends CommonOptions {
  readonly agent?: string;
  readonly subject?: Subject;
  readonly status?: readonly LoopStatus[];
  readonly limit?: number;
}

export function addListCommand(program: Command, runner: CommandRunner): void {
  addCommonOptions(program.command('list'))
    .description('loops, newest first')
    .option('--status <statuses>', 'only these, separated by commas', parseStatuses)
    .option('--agent <name>', 'only loops of this agent')
    .option('--subject <type:id>', 'only loops about this record', parseSubject)
    .option('--limit <count>', 'at most so many (default: 50)', parseCount)
    .action((options: ListOptions) =>
      runner.withClient(options, async ({ client }) => {
        const { agent, subject, status, limit } = options;
        const loops = await client.list({
          ...(agent === undefined ? {} : { agent }),
          ...(subject === undefined ? {} : { subject }),
          ...(status === undefined ? {} : { status }),
          ...(limit === undefined ? {} : { limit }),
        });
        const { terminal, now } = runner.context;
        runner.print(options, loops, () => formatLoopList(loops, now(), terminal.paint));
        return undefined;
      }),
    );
}
