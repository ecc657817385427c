/** Decides what happens where a step of a worker process comes to a named point. */

import type { Arrival } from './start-worker-process';

/** Which arrivals are meant. */
export interface FaultPlace {
  readonly point: string;
  /** @default any workflow */
  readonly workflowId?: string;
  /** The first arrival that is meant, from 1. @default 1 */
  readonly nth?: number;
  /** How many arrivals are meant, from the nth. @default 1 */
  readonly count?: number;
}

export interface Hold {
  /** Resolves when `count` steps are held. */
  readonly reached: Promise<readonly Arrival[]>;
  /** All of them go on. Harmless for processes that are gone. */
  readonly release: () => void;
}

interface Rule {
  readonly place: FaultPlace;
  readonly act: (arrival: Arrival) => void | Promise<void>;
  arrivals: number;
}

export class FaultDirector {
  readonly #rules: Rule[] = [];
  readonly #reached = new Map<string, number>();

  /** How often each point was reached, by any loop. */
  get reached(): ReadonlyMap<string, number> {
    return this.#reached;
  }

  /** The step goes on when the action's promise resolves. Actions of several rules come in the order in which they were given. */
  at(place: FaultPlace, act: Rule['act']): void {
    this.#rules.push({ place, act, arrivals: 0 });
  }

  hold(place: FaultPlace): Hold {
    const held: Arrival[] = [];
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const reached = new Promise<readonly Arrival[]>((resolve) => {
      this.at(place, (arrival) => {
        if (held.push(arrival) === (place.count ?? 1)) resolve(held);
        return released;
      });
    });
    return { reached, release };
  }

  /** Given to each worker process as its `onArrival`. */
  readonly onArrival = async (arrival: Arrival): Promise<void> => {
    this.#reached.set(arrival.point, (this.#reached.get(arrival.point) ?? 0) + 1);
    for (const rule of this.#rules) if (this.#isMeant(rule, arrival)) await rule.act(arrival);
  };

  #isMeant(rule: Rule, { point, workflowId }: Arrival): boolean {
    const { place } = rule;
    if (place.point !== point || (place.workflowId ?? workflowId) !== workflowId) return false;
    rule.arrivals += 1;
    const first = place.nth ?? 1;
    return rule.arrivals >= first && rule.arrivals < first + (place.count ?? 1);
  }
}
