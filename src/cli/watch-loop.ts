/** Shows a loop's stream until it ends or Ctrl-C: as text for people, as one JSON line an item for scripts. */

import type { StreamItem, StreamPosition } from '../client/stream';
import { isTerminal, type TerminalStatus } from '../domain/loop';
import { systemClock } from '../util/clock';
import type { CommandRunner } from './command-runner';
import type { CommonOptions } from './connection';
import type { CliClient, Terminal } from './context';
import { EXIT } from './render/format-error';
import { LiveView } from './render/live-view';
import { StatusLine } from './status-line';

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
  const screen = options.json === true ? jsonScreen(terminal) : textScreen(terminal);
  return runner.context.withInterrupt(async (interrupt) => {
    const signal = given === undefined ? interrupt : AbortSignal.any([interrupt, given]);
    let end: TerminalStatus | undefined;
    try {
      for await (const item of client.stream(loop, { signal, ...(from === undefined ? {} : { from }) })) {
        screen.show(item);
        if (item.type === 'loop' && isTerminal(item.loop.status)) end = item.loop.status;
      }
    } finally {
      screen.close();
    }
    if (end !== undefined) return EXIT[end];
    terminal.writeError(
      terminal.paintError.dim(`\nno longer watching; loop ${loop} goes on (solidloop tail ${loop}, solidloop stop ${loop})`),
    );
    return EXIT.interrupted;
  });
}

interface Screen {
  readonly show: (item: StreamItem) => void;
  readonly close: () => void;
}

function jsonScreen(terminal: Terminal): Screen {
  return { show: (item) => terminal.write(`${JSON.stringify(item)}\n`), close: () => undefined };
}

function textScreen({ write, paint, isInteractive }: Terminal): Screen {
  const view = new LiveView(paint);
  const line = new StatusLine({ write, paint, clock: systemClock });
  const show = (item: StreamItem): void => {
    line.write(view.push(item));
    if (isInteractive) line.show(view.status);
  };
  return { show, close: () => line.close() };
}
