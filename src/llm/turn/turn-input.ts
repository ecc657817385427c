/** What one LLM turn is made of. */

import type { StackAdjuster } from '../../agents/adjust-stack';
import type { Agent, ModelSettings } from '../../agents/agent';
import type { AttemptGuard, LlmContext } from '../../agents/middleware';
import type { Generation } from '../../domain/ids';
import type { Loop } from '../../domain/loop';
import type { TranscriptMessage } from '../../domain/message';
import type { TurnAnswer, TurnFailure } from '../../domain/turn';
import type { DiscardedSpend } from './discarded-spend';

export interface LlmTurnInput {
  readonly loop: Loop;
  readonly agent: Agent;
  /** As it was resolved for the claim. @default what the agent says */
  readonly model?: ModelSettings;
  readonly turnNumber: number;
  readonly generation: Generation;
  /** The visible transcript, read in one snapshot with the fence (R31). */
  readonly transcript: readonly TranscriptMessage[];
  readonly guard: AttemptGuard;
  /** Told what was paid for answers that are thrown away. @default nobody counts it */
  readonly discarded?: DiscardedSpend;
  /** The config's change of the stack. The agent's own comes after it. */
  readonly adjust?: StackAdjuster<LlmContext>['adjust'] | undefined;
}

export type LlmTurnOutcome = { readonly kind: 'answer'; readonly answer: TurnAnswer } | TurnFailure;
