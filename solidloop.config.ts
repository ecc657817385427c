/** What the worker and the command line of this repository run: the example agents, with the model that the environment names. */

import { createExampleAgents } from './examples/agents';
import { readModelFromEnvironment } from './src/config/model';
import { defineConfig, SolidLoopError } from './src/index';

const chosen = readModelFromEnvironment();

export const config = defineConfig({
  agents: createExampleAgents({ model: chosen?.settings ?? noModel, isSmall: chosen?.isSmall ?? false }),
});

/** Agents can be listed and looked at without a model; only a turn needs one. */
function noModel(): never {
  throw new SolidLoopError('ConfigError', 'no model is named: set OPENAI_API_KEY, or OPENAI_BASE_URL and SOLIDLOOP_MODEL', {
    field: 'SOLIDLOOP_MODEL',
  });
}
