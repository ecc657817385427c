/** The agents that a process knows, by name. */

import { SolidLoopError } from '../domain/errors';
import type { Agent } from './agent';
import { assertNoRepeats } from './check-agent';

export class AgentRegistry {
  readonly #agents: ReadonlyMap<string, Agent>;

  /** @throws ConfigError where two agents have one name */
  constructor(agents: readonly Agent[]) {
    assertNoRepeats('the registry', 'agents', agents);
    this.#agents = new Map(agents.map((agent) => [agent.name, agent]));
  }

  get names(): readonly string[] {
    return [...this.#agents.keys()];
  }

  find(name: string): Agent | undefined {
    return this.#agents.get(name);
  }

  /** @throws UnknownAgent with the names that are known */
  get(name: string): Agent {
    const agent = this.find(name);
    if (agent !== undefined) return agent;
    const known = this.names.length === 0 ? 'none is defined' : `there are: ${this.names.join(', ')}`;
    throw new SolidLoopError('UnknownAgent', `no agent is named "${name}"; ${known}`, { field: 'agent' });
  }
}
