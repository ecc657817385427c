/** The example agents, around whatever model there is. */

import type { Agent } from '../src/index';
import { createAssistant, type AssistantOptions } from './assistant';
import { createLibrarian } from './librarian';

/** A small model gets the assistant alone: it cannot follow what a librarian is told. */
export function createExampleAgents(options: AssistantOptions): readonly Agent[] {
  const assistant = createAssistant(options);
  return options.isSmall ? [assistant] : [assistant, createLibrarian({ model: options.model })];
}
