/** What one turn's LLM call is given: live text, the shell, the wire log, the heartbeat. */

import { updateShell } from '../db/turns/shell';
import { messageOf } from '../domain/errors';
import type { Generation, MessageId } from '../domain/ids';
import type { Loop } from '../domain/loop';
import type { LlmPorts, ShellSink, WireRecorder } from '../llm/ports';
import { observedWire } from '../metrics/observed-wire';
import type { Attempt } from './attempt';
import type { ActivityDependencies } from './dependencies';
import { reach } from './reach';

export interface TurnOfLoop {
  readonly loop: Loop;
  readonly generation: Generation;
  readonly turnNumber: number;
  readonly shellId: MessageId | null;
}

export function turnPorts(deps: ActivityDependencies, attempt: Attempt, turn: TurnOfLoop): LlmPorts {
  return {
    settings: deps.settings,
    live: deps.liveSink({ loop: turn.loop, generation: turn.generation }),
    shell: shellSink(deps, turn),
    wire: observedWire(reachingInCall(deps.wire({ loopId: turn.loop.id, turnNumber: turn.turnNumber })), {
      metrics: deps.metrics,
      signal: attempt.guard.signal,
    }),
    memory: deps.memory,
    rates: deps.rates,
    redact: deps.redact,
    clients: deps.clients,
    schemas: deps.schemas,
    logger: deps.logger,
    ...(deps.mcpTools === undefined ? {} : { mcpTools: deps.mcpTools }),
    onProgress: (phase, progress) => attempt.heartbeat.report(phase, progress),
    now: () => performance.now(),
  };
}

/** Where the provider has answered, and nothing of the answer is kept yet. */
function reachingInCall(wire: WireRecorder): WireRecorder {
  return {
    start: async (request) => {
      const complete = await wire.start(request);
      return async (outcome) => {
        await reach('turn:in-call');
        await complete(outcome);
      };
    },
  };
}

/** One write at a time; the newest text waits, older ones are dropped. A failed write is said and never the turn's. */
function shellSink(deps: ActivityDependencies, { loop, generation, shellId }: TurnOfLoop): ShellSink {
  let waiting: Parameters<ShellSink['update']>[0] | undefined;
  let isWriting = false;
  const write = async (id: MessageId): Promise<void> => {
    isWriting = true;
    for (let text = waiting; text !== undefined; text = waiting) {
      waiting = undefined;
      await updateShell(deps.db, { loopId: loop.id, generation, shellId: id, ...text }).catch((error: unknown) =>
        deps.logger.warn({ loop: loop.id, error: messageOf(error) }, 'the partial text was not kept'),
      );
    }
    isWriting = false;
  };
  return {
    update: (text) => {
      if (shellId === null) return;
      waiting = text;
      if (!isWriting) void write(shellId);
    },
  };
}
