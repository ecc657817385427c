/** An assistant that calculates, knows the time, and looks at the files of the working directory. */

import { defineAgent, type Agent, type ModelChoice, type ModelSettings } from '../src/index';
import { arithmeticTools } from './tools/arithmetic';
import { currentTime, currentUtcTime } from './tools/current-time';
import { createFileTools } from './tools/files';

/** What keeps a small model to the point: the same answer every time, and none that never ends. */
const SMALL_MODEL_PARAMETERS = { temperature: 0, max_tokens: 128 };

export interface AssistantOptions {
  readonly model: ModelChoice;
  /** True for a model that can use few tools at a time: it gets arithmetic and the time alone. */
  readonly isSmall: boolean;
  /** @default the process's working directory */
  readonly folder?: string;
}

export function createAssistant({ model, isSmall, folder = process.cwd() }: AssistantOptions): Agent {
  return isSmall ? smallAssistant(model) : wholeAssistant(model, folder);
}

function wholeAssistant(model: ModelChoice, folder: string): Agent {
  return defineAgent({
    name: 'assistant',
    model,
    instructions:
      'You are a helpful assistant. Use your tools for arithmetic, for the time, and to look at the files of the working directory. ' +
      'Say what you found, shortly; say so if a tool did not give it.',
    tools: [...arithmeticTools, currentTime, ...createFileTools(folder)],
    limits: { steps: 30 },
  });
}

function smallAssistant(model: ModelChoice): Agent {
  return defineAgent({
    name: 'assistant',
    model: typeof model === 'function' ? model : withSmallModelParameters(model),
    instructions: 'You are a helpful AI assistant.',
    tools: [...arithmeticTools, currentUtcTime],
    limits: { steps: 10 },
  });
}

const withSmallModelParameters = (model: ModelSettings): ModelSettings => ({
  ...model,
  parameters: { ...SMALL_MODEL_PARAMETERS, ...model.parameters },
});
