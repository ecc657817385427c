/** What `solidloop dev` says once everything runs: addresses, and one command to try. */

import { formatDuration } from '../../util/format-duration';
import type { Paint } from './paint';
import { printable } from './text';

export interface ReadyStack {
  readonly agents: readonly string[];
  /** A sentence of the model. Absent where the agents bring their own. */
  readonly model?: string;
  readonly databaseUrl: string;
  readonly temporalAddress: string;
  readonly uiUrl?: string;
  readonly dataFolder: string;
  readonly seconds: number;
  /** What a person types in another terminal, up to the prompt. */
  readonly command: string;
  /** False beside a stack that another process runs. */
  readonly isOurs: boolean;
}

const NAME_WIDTH = 9;
const VALUE_COLUMN = NAME_WIDTH + 3;

export function formatReady(stack: ReadyStack, paint: Paint): string {
  const facts: readonly (readonly [string, string])[] = [
    ['agents', stack.agents.join(', ')],
    ['model', printable(stack.model ?? '').replace('; ', `;\n${' '.repeat(VALUE_COLUMN)}`)],
    ['Postgres', stack.databaseUrl],
    ['Temporal', stack.temporalAddress],
    ['its UI', stack.uiUrl ?? ''],
    ['data', stack.dataFolder],
  ];
  const lines = facts.filter(([, value]) => value !== '').map(([name, value]) => `  ${paint.dim(name.padEnd(NAME_WIDTH))} ${value}`);
  const head = stack.isOurs
    ? `${paint.green('✓')} ${paint.bold('SolidLoop is ready')} ${paint.dim(`(${formatDuration(stack.seconds)})`)}`
    : paint.bold('SolidLoop runs here already');
  const where = stack.isOurs ? 'Try, in another terminal:' : 'Try:';
  const end = stack.isOurs ? ['', paint.dim('Ctrl-C ends all of it; the data stays.')] : [];
  return ['', head, '', ...lines, '', where, '', `  ${paint.cyan(`${stack.command} "What is 17 plus 25?"`)}`, ...end, ''].join('\n');
}
