/** Whether calls written as text are read without being asked for: as the agent says, else by the model's name. */

import type { LlmContext } from '../../../agents/middleware';

/** Families whose models write calls as text, where their server does not read them. */
const FAMILIES = /deepseek|qwen|qwq|hermes|glm|llama|gpt-oss|mi[sx]tral|kimi|smollm|granite/i;

export function readsTextCalls({ agent, model }: LlmContext): boolean {
  return agent.textToolCalls ?? FAMILIES.test(model?.name ?? '');
}
