/** The table of the verbs of control: name, arguments and options of each, and the request that they make. */

import type { Command } from 'commander';
import type { ControlRequest } from '../domain/control';
import { SolidLoopError } from '../domain/errors';
import type { CliContext } from './context';
import { type LimitOptions, limitsOf } from './parse-options';
import { addLimitOptions, readMessage } from './start-options';

export interface VerbOptions extends LimitOptions {
  readonly afterStep?: boolean;
  readonly reason?: string;
  readonly children?: boolean;
  readonly interrupt?: boolean;
  readonly skipCalls?: boolean;
}

export interface ControlCommand {
  readonly name: string;
  readonly description: string;
  /** After the loop: name and description. */
  readonly arguments: readonly (readonly [string, string])[];
  /** Can be used on all loops of a selection. */
  readonly isForMany: boolean;
  readonly addOptions: (command: Command) => void;
  readonly toRequest: (context: CliContext, values: readonly string[], options: VerbOptions) => ControlRequest | Promise<ControlRequest>;
}

const MESSAGE = ['message', 'its text; - reads it from standard input'] as const;
const MESSAGE_ID = ['message-id', 'as `show --ids` gives it'] as const;

const none = (): undefined => undefined;
const withReason = (command: Command): Command => command.option('--reason <text>', 'why, for those who look later');
const withStop = (command: Command): Command =>
  withReason(command).option('--after-step', 'let the turn or the tool calls in flight finish');
const withSkipCalls = (command: Command): Command =>
  command.option('--skip-calls', 'do not run the calls that are unresolved: the model is told so');
const withChildren = (command: Command): Command => command.option('--children', 'its child loops too');
const reasonOf = ({ reason }: VerbOptions) => (reason === undefined ? {} : { reason });
const whenOf = ({ afterStep }: VerbOptions) => (afterStep === true ? ({ when: 'afterStep' } as const) : {});
const childrenOf = ({ children }: VerbOptions) => (children === true ? { children } : {});

export const CONTROL_COMMANDS: readonly ControlCommand[] = [
  {
    name: 'pause',
    description: 'pause a loop: what is in flight is cut off, unless --after-step',
    arguments: [],
    isForMany: true,
    addOptions: withStop,
    toRequest: (_context, _values, options) => ({ verb: 'pause', ...whenOf(options), ...reasonOf(options) }),
  },
  {
    name: 'resume',
    description: 'let a paused loop go on',
    arguments: [],
    isForMany: true,
    addOptions: withSkipCalls,
    toRequest: (_context, _values, { skipCalls }) => ({ verb: 'resume', ...(skipCalls === true ? { skipCalls } : {}) }),
  },
  {
    name: 'steer',
    description: 'send a message that the next turn takes',
    arguments: [MESSAGE],
    isForMany: false,
    addOptions: (command) => command.option('--interrupt', 'cut off the turn in flight and take it now'),
    toRequest: async (context, [message = ''], { interrupt }) => ({
      verb: 'steer',
      message: await readMessage(context, message),
      ...(interrupt === true ? { interrupt } : {}),
    }),
  },
  {
    name: 'edit-message',
    description: 'change a message that was not delivered yet',
    arguments: [MESSAGE_ID, MESSAGE],
    isForMany: false,
    addOptions: none,
    toRequest: async (context, [messageId = '', message = '']) => ({
      verb: 'editMessage',
      messageId,
      message: await readMessage(context, message),
    }),
  },
  {
    name: 'withdraw-message',
    description: 'take back a message that was not delivered yet',
    arguments: [MESSAGE_ID],
    isForMany: false,
    addOptions: none,
    toRequest: (_context, [messageId = '']) => ({ verb: 'withdrawMessage', messageId }),
  },
  {
    name: 'stop',
    description: 'end a loop as cancelled: what is in flight is cut off, unless --after-step',
    arguments: [],
    isForMany: true,
    addOptions: (command) => withChildren(withStop(command)),
    toRequest: (_context, _values, options) => ({ verb: 'stop', ...whenOf(options), ...reasonOf(options), ...childrenOf(options) }),
  },
  {
    name: 'freeze',
    description: 'for admins: pause a loop so that only unfreeze lets it go on',
    arguments: [],
    isForMany: true,
    addOptions: (command) => withChildren(withReason(command)),
    toRequest: (_context, _values, options) => ({ verb: 'freeze', ...reasonOf(options), ...childrenOf(options) }),
  },
  {
    name: 'unfreeze',
    description: 'for admins: undo a freeze; the loop stays paused',
    arguments: [],
    isForMany: true,
    addOptions: none,
    toRequest: () => ({ verb: 'unfreeze' }),
  },
  {
    name: 'reopen',
    description: 'let a loop that is over go on with a new message',
    arguments: [MESSAGE],
    isForMany: false,
    addOptions: withSkipCalls,
    toRequest: async (context, [message = ''], { skipCalls }) => ({
      verb: 'reopen',
      message: await readMessage(context, message),
      ...(skipCalls === true ? { skipCalls } : {}),
    }),
  },
  {
    name: 'retry',
    description: 'try a failed step again as it was, or skip the wait before a retry',
    arguments: [],
    isForMany: true,
    addOptions: none,
    toRequest: () => ({ verb: 'retry' }),
  },
  {
    name: 'set-limits',
    description: 'change the limits of a loop',
    arguments: [],
    isForMany: false,
    addOptions: addLimitOptions,
    toRequest: (_context, _values, options) => {
      const limits = limitsOf(options);
      if (limits === undefined)
        throw new SolidLoopError('InvalidInput', 'give at least one limit: --steps, --tokens, --cost-usd or --duration-seconds', {
          field: 'limits',
        });
      return { verb: 'setLimits', limits };
    },
  },
  {
    name: 'hide-message',
    description: 'keep a message from the model; people still see it',
    arguments: [MESSAGE_ID],
    isForMany: false,
    addOptions: none,
    toRequest: (_context, [messageId = '']) => ({ verb: 'hideMessage', messageId }),
  },
  {
    name: 'show-message',
    description: 'show a hidden message to the model again',
    arguments: [MESSAGE_ID],
    isForMany: false,
    addOptions: none,
    toRequest: (_context, [messageId = '']) => ({ verb: 'showMessage', messageId }),
  },
];
