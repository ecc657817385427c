/** A server may send keys back in its error: none may reach a row or the log. */

import type { LlmContext } from '../../agents/middleware';
import { secretsOfHeaders } from '../../util/secret-headers';
import type { LlmPorts } from '../ports';

export function withoutSecrets(text: string, { model }: Pick<LlmContext, 'model'>, { redact }: Pick<LlmPorts, 'redact'>): string {
  if (redact === undefined || model === undefined) return text;
  const { apiKey, headers = {} } = model;
  return redact(text, [...(apiKey === undefined ? [] : [apiKey]), ...secretsOfHeaders(headers)]);
}
