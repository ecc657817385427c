/** `solidloop show`: what a loop is, its transcript, its wire log, and any request of it to the byte. */

import type { Command } from 'commander';
import type { Database } from '../../db/database';
import { findLoop, findLoopByWorkflowId } from '../../db/repositories/loops.repository';
import { findMessages } from '../../db/repositories/messages.repository';
import { readEvents } from '../../db/wire/read-events';
import { SolidLoopError } from '../../domain/errors';
import { type EventId, isRowId, type LoopId, toId } from '../../domain/ids';
import type { Loop } from '../../domain/loop';
import { rebuildRequest } from '../../events/rebuild-request';
import type { CommandRunner } from '../command-runner';
import { addCommonOptions, type CommonOptions } from '../connection';
import { parseRowId } from '../parse-options';
import { formatShow, type ShownLoop } from '../render/format-show';

interface ShowOptions extends CommonOptions {
  readonly wire?: boolean;
  readonly request?: string;
  readonly full?: boolean;
  readonly hidden?: boolean;
  readonly ids?: boolean;
}

export function addShowCommand(program: Command, runner: CommandRunner): void {
  addCommonOptions(program.command('show'))
    .description('a loop and its transcript')
    .argument('<loop>', 'its id or workflow id')
    .option('--wire', 'also each call on the wire, and what was asked of the loop')
    .option('--request <event>', 'only the exact body of one request of the wire log', parseRowId)
    .option('--full', 'arguments and results of tools whole')
    .option('--hidden', 'also what is hidden from the model: cut off answers, messages that were hidden')
    .option('--ids', 'the id of each message, for edit-message, hide-message and the like')
    .action((loop: string, options: ShowOptions) =>
      runner.withDatabase(options, async (db) => {
        if (options.request === undefined) await show(runner, db, loop, options);
        else runner.context.terminal.write(`${await getRequest(db, toId<EventId>(options.request))}\n`);
        return undefined;
      }),
    );
}

async function show(runner: CommandRunner, db: Database, name: string, options: ShowOptions): Promise<void> {
  const loop = await getLoopByName(db, name);
  const { wire = false, full: isFull = false, hidden = false, ids: withIds = false } = options;
  const messages = await findMessages(db, { loopId: loop.id, withHidden: true });
  const shown: ShownLoop = {
    loop,
    messages: messages.filter((message) => hidden || !message.isHidden || message.status === 'pending'),
    events: wire ? await readEvents(db, loop.id) : [],
  };
  runner.print(options, shown, () => formatShow(shown, { paint: runner.context.terminal.paint, isFull, withIds }));
}

/** By its id or its workflow id. @throws LoopNotFound */
async function getLoopByName(db: Database, name: string): Promise<Loop> {
  const loop = isRowId(name) ? await findLoop(db, toId<LoopId>(name)) : await findLoopByWorkflowId(db, name);
  if (loop !== undefined) return loop;
  throw new SolidLoopError('LoopNotFound', `there is no loop "${name}" in this database; \`solidloop list\` shows those there are`, {
    field: 'loop',
  });
}

async function getRequest(db: Database, eventId: EventId): Promise<string> {
  const body = await rebuildRequest(db, eventId);
  if (body === undefined)
    throw new SolidLoopError('LoopNotFound', `event ${eventId} has no request; \`solidloop show <loop> --wire\` lists those that have`, {
      field: 'request',
    });
  return body;
}
