/** Middleware for models that write their calls as text: put it before `response-parsing` (R44). */

import type { LlmMiddleware } from '../../agents/middleware';
import { applyTextCalls } from '../parsing/text-calls/apply-text-calls';

/**
 * Reads `<tool_call>` blocks with JSON, Qwen's and GLM's forms in them, and the special tokens of Llama, Mistral, DeepSeek, Kimi and gpt-oss;
 * for models with "deepseek" in their name fenced `action` blocks too. Native calls win: where there is one, the text is left alone.
 */
export const textToolCalls: LlmMiddleware = async function textToolCalls(context, next) {
  applyTextCalls(context);
  await next();
};
