/** What the parts of one model's turn share. */

import type { ModelSettings } from '../../agents/agent';
import type { LlmStack } from '../../agents/middleware';
import type { TranscriptMessage } from '../../domain/message';
import type { LlmPorts } from '../ports';
import type { LlmTurnInput } from './turn-input';

export interface TurnRun {
  readonly input: LlmTurnInput;
  readonly ports: LlmPorts;
  readonly stack: LlmStack;
  readonly model: ModelSettings;
  /** Asks with this transcript, which may be narrower than the input's. */
  readonly transcript: readonly TranscriptMessage[];
}
