/** What `solidloop dev` says once everything runs: addresses, and one command to try. */

import { formatDuration } from '../../util/format-duration';
import type { Paint } from './paint';
import { shorten } from './text';

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

const MODEL_LIMIT_CHARS = 160;

export function formatReady(stack: ReadyStack, paint: Paint): string {
  const facts: readonly (readonly [string, string])[] = [
    ['agents', stack.agents.join(', ')],
    ['model', shorten(stack.model ?? '', MODEL_LIMIT_CHARS)],
    ['Postgres', stack.databaseUrl],
    ['Temporal', stack.temporalAddress],
    ['its UI', stack.uiUrl ?? ''],
    ['data', stack.dataFolder],
  ];
  const lines = facts.filter(([, value]) => value !== '').map(([name, value]) => `  ${paint.dim(name.padEnd(9))} ${value}`);
  const head = stack.isOurs
    ? `${paint.green('✓')} ${paint.bold('SolidLoop is ready')} ${paint.dim(`(${formatDuration(stack.seconds)})`)}`
    : paint.bold('SolidLoop runs here already');
  const where = stack.isOurs ? 'Try, in another terminal:' : 'Try:';
  const end = stack.isOurs ? ['', paint.dim('Ctrl-C ends all of it; the data stays.')] : [];
  return ['', head, '', ...lines, '', where, '', `  ${paint.cyan(`${stack.command} "What is 17 plus 25?"`)}`, ...end, ''].join('\n');
}
