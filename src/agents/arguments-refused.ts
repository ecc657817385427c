/** Arguments that a tool's own schema refuses: the model is told, whatever the tool says of errors (R39, R76). */

import { SolidLoopError } from '../domain/errors';
import { formatIssues, type SchemaIssue } from './json-schema';

export class ArgumentsRefused extends SolidLoopError {
  constructor(toolName: string, issues: readonly SchemaIssue[]) {
    super(
      'InvalidInput',
      `the arguments of "${toolName}" do not fit its schema: ${formatIssues(issues)}. Send the call again with arguments that fit.`,
    );
  }
}
