/** The verbs of control, each a command: on one loop, or on all that fit a selection (counts first). */

import type { Command } from 'commander';
import type { ControlManyReport, LoopSelection } from '../../db/control/control-many';
import type { ControlRequest } from '../../domain/control';
import { SolidLoopError } from '../../domain/errors';
import type { LoopStatus, Subject } from '../../domain/loop';
import type { CommandRunner } from '../command-runner';
import { addCommonOptions, type CommonOptions } from '../connection';
import type { CliClient } from '../context';
import { CONTROL_COMMANDS, type ControlCommand, type VerbOptions } from '../control-commands';
import { parseStatuses, parseSubject } from '../parse-options';
import { formatControlAnswer } from '../render/format-control-answer';
import { formatControlReport } from '../render/format-control-report';
import { EXIT } from '../render/format-error';

interface ControlOptions extends CommonOptions, VerbOptions {
  readonly key?: string;
  readonly by?: string;
  readonly agent?: string;
  readonly subject?: Subject;
  readonly status?: readonly LoopStatus[];
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

interface Asked {
  readonly request: ControlRequest;
  readonly options: ControlOptions;
}

export function addControlCommands(program: Command, runner: CommandRunner): void {
  for (const spec of CONTROL_COMMANDS) addControlCommand(program, runner, spec);
}

function addControlCommand(program: Command, runner: CommandRunner, spec: ControlCommand): void {
  const command = addCommonOptions(program.command(spec.name)).description(spec.description);
  command.argument(spec.isForMany ? '[loop]' : '<loop>', 'its id or workflow id');
  for (const [name, description] of spec.arguments) command.argument(`<${name}>`, description);
  command
    .option('--key <key>', 'names this request: a repeat gets the same answer and does nothing')
    .option('--by <who>', 'who asks (default: the user of this terminal)');
  if (spec.isForMany) addSelection(command);
  spec.addOptions(command);
  command.action((...given: unknown[]) => {
    const [loop, ...values] = command.processedArgs as readonly (string | undefined)[];
    const options = given.at(-2) as ControlOptions;
    return runner.withClient(options, async ({ client }) => {
      const texts = values.map((value) => value ?? '');
      const asked = { request: await spec.toRequest(runner.context, texts, options), options };
      return loop === undefined ? controlSelected(runner, client, asked) : controlOne(runner, client, loop, asked);
    });
  });
}

function addSelection(command: Command): void {
  command
    .option('--agent <name>', 'instead of a loop: all of this agent')
    .option('--subject <type:id>', 'instead of a loop: all about this record', parseSubject)
    .option('--status <statuses>', 'with a selection: only these, separated by commas', parseStatuses)
    .option('--dry-run', 'with a selection: only count')
    .option('--yes', 'with a selection: do it');
}

async function controlOne(runner: CommandRunner, client: CliClient, loop: string, { request, options }: Asked): Promise<number> {
  if (options.agent !== undefined || options.subject !== undefined)
    throw new SolidLoopError('InvalidInput', 'give a loop, or --agent and --subject, not both', { field: 'loop' });
  const { id } = await client.get(loop);
  const answer = await client.control(id, request, senderOf(runner, options));
  if (!answer.ok) throw new SolidLoopError(answer.code, answer.message);
  runner.print(options, { loopId: id, ...answer }, () => formatControlAnswer(id, answer, runner.context.terminal.paint));
  return EXIT.completed;
}

/** Without --yes nothing is done but counting, and the exit code says so. */
async function controlSelected(runner: CommandRunner, client: CliClient, { request, options }: Asked): Promise<number> {
  const selection = selectionOf(options);
  const isDone = options.yes === true && options.dryRun !== true;
  const report: ControlManyReport = await client.controlMany(selection, request, { ...senderOf(runner, options), dryRun: !isDone });
  runner.print(options, report, () => formatControlReport(request.verb, report, { isDone, paint: runner.context.terminal.paint }));
  return isDone || options.dryRun === true || isEmpty(report) ? EXIT.completed : EXIT.usage;
}

const isEmpty = ({ selected }: ControlManyReport): boolean => Object.values(selected).every((count) => count === 0);

function selectionOf({ agent, subject, status }: ControlOptions): LoopSelection {
  if (agent === undefined && subject === undefined)
    throw new SolidLoopError('InvalidInput', 'which loop? give its id or workflow id, or select with --agent or --subject', {
      field: 'loop',
    });
  return {
    ...(agent === undefined ? {} : { agent }),
    ...(subject === undefined ? {} : { subject }),
    ...(status === undefined ? {} : { status }),
  };
}

const senderOf = (runner: CommandRunner, { key, by = runner.context.operator }: ControlOptions) => ({
  by,
  ...(key === undefined ? {} : { key }),
});
