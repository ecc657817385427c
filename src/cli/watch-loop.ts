/** Shows a loop's stream until it ends or Ctrl-C: as text for people, as one JSON line an item for scripts. */

import type { StreamItem, StreamPosition } from '../client/stream';
import { isTerminal, type TerminalStatus } from '../domain/loop';
import type { CommandRunner } from './command-runner';
import type { CommonOptions } from './connection';
import type { CliClient } from './context';
import { EXIT } from './render/format-error';
import { LiveView } from './render/live-view';

export interface WatchOptions {
  readonly client: Pick<CliClient, 'stream'>;
  readonly loop: string;
  readonly options: CommonOptions;
  readonly from?: StreamPosition;
  /** Ends the watching as Ctrl-C does. */
  readonly signal?: AbortSignal;
}

/** Answers the exit code: 0, 1 or 2 by the loop's end, 130 where a person stopped watching. The loop itself goes on then. */
export async function watchLoop(runner: CommandRunner, { client, loop, options, from, signal: given }: WatchOptions): Promise<number> {
  const { terminal } = runner.context;
  const toText = options.json === true ? toJsonLine : createTextWriter(new LiveView(terminal.paint));
  return runner.context.withInterrupt(async (interrupt) => {
    const signal = given === undefined ? interrupt : AbortSignal.any([interrupt, given]);
    let end: TerminalStatus | undefined;
    for await (const item of client.stream(loop, { signal, ...(from === undefined ? {} : { from }) })) {
      terminal.write(toText(item));
      if (item.type === 'loop' && isTerminal(item.loop.status)) end = item.loop.status;
    }
    if (end !== undefined) return EXIT[end];
    terminal.writeError(
      terminal.paintError.dim(`\nno longer watching; loop ${loop} goes on (solidloop tail ${loop}, solidloop stop ${loop})`),
    );
    return EXIT.interrupted;
  });
}

const toJsonLine = (item: StreamItem): string => `${JSON.stringify(item)}\n`;

const createTextWriter = (view: LiveView) => (item: StreamItem) => view.push(item);
