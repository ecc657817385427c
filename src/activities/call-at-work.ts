/** A tool call that an attempt has claimed, with what it is run by. */

import type { Agent } from '../agents/agent';
import type { ToolDefinition } from '../agents/tool';
import type { ToolCallClaim } from '../db/tool-calls/claim-tool-call';
import type { Generation } from '../domain/ids';

export type ClaimedCall = Extract<ToolCallClaim, { kind: 'claimed' }>;

export interface CallAtWork {
  readonly agent: Agent;
  /** Absent: this worker does not know the tool. */
  readonly tool: ToolDefinition | undefined;
  readonly claim: ClaimedCall;
  readonly generation: Generation;
}
