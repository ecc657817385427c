/** The options of a start, for `run` and `start`. */

import type { Command } from 'commander';
import type { StartOptions as ClientStart } from '../client/solid-loop-client';
import type { JsonObject, Subject } from '../domain/loop';
import { addCommonOptions, type CommonOptions } from './connection';
import type { CliContext } from './context';
import { type LimitOptions, limitsOf, parseCount, parseJsonObject, parseSubject } from './parse-options';

export interface StartOptions extends CommonOptions, LimitOptions {
  readonly key?: string;
  readonly title?: string;
  readonly subject?: Subject;
  readonly state?: JsonObject;
}

export function addStartOptions(command: Command): Command {
  return addCommonOptions(addLimitOptions(command))
    .argument('<agent>', 'name of the agent')
    .argument('<message>', 'the first message; - reads it from standard input')
    .option('--key <key>', 'the start key: the same key is the same loop')
    .option('--title <title>', 'shown in lists')
    .option('--subject <type:id>', 'the record that the loop is about', parseSubject)
    .option('--state <json>', 'its state, a JSON object', parseJsonObject);
}

export function addLimitOptions(command: Command): Command {
  return command
    .option('--steps <count>', 'most turns', parseCount)
    .option('--tokens <count>', 'most tokens', parseCount)
    .option('--cost-usd <amount>', 'most money, as an exact decimal such as 2.50')
    .option('--duration-seconds <seconds>', 'most time, pauses not counted', parseCount);
}

/** What the client is asked. @throws InvalidInput */
export async function toClientStart(context: CliContext, agent: string, message: string, options: StartOptions): Promise<ClientStart> {
  const { key, title, subject, state } = options;
  const limits = limitsOf(options);
  return {
    agent,
    message: await readMessage(context, message),
    ...(key === undefined ? {} : { key }),
    ...(title === undefined ? {} : { title }),
    ...(subject === undefined ? {} : { subject }),
    ...(state === undefined ? {} : { state }),
    ...(limits === undefined ? {} : { limits }),
  };
}

/** `-` stands for standard input. */
export async function readMessage(context: CliContext, message: string): Promise<string> {
  return message === '-' ? (await context.readInput()).trimEnd() : message;
}
