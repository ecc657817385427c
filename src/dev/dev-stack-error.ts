/** What went wrong with the machine or its settings while the development stack started. */

import { SolidLoopError } from '../domain/errors';

/** One sentence on what is wrong and what to do about it; nothing of the stack is left running when it reaches the caller. */
export class DevStackError extends SolidLoopError {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super('ConfigError', message, options);
    this.name = 'DevStackError';
  }
}
