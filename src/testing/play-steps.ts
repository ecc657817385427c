/** Plays the steps of one scripted response on a connection. */

import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { JournalEntry, ScriptStep } from './script';

/** Named gates that `wait` steps stand before. */
export class Gates {
  readonly #released = new Set<string>();
  readonly #waiting = new Map<string, (() => void)[]>();

  release(gate: string): void {
    this.#released.add(gate);
    for (const go of this.#waiting.get(gate) ?? []) go();
    this.#waiting.delete(gate);
  }

  async wait(gate: string): Promise<void> {
    if (this.#released.has(gate)) return;
    await new Promise<void>((resolve) => this.#waiting.set(gate, [...(this.#waiting.get(gate) ?? []), resolve]));
  }
}

/** Answers how the connection ended; a client that goes ends it at once, whatever step is waited for. */
export async function playSteps(response: ServerResponse, steps: readonly ScriptStep[], gates: Gates): Promise<JournalEntry['outcome']> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const left = once(gone.signal, 'abort');
  for (const step of steps) {
    if (step.kind === 'destroy') {
      response.destroy();
      return 'destroyed';
    }
    if (step.kind === 'end') break;
    await Promise.race([playStep(response, step, gates, gone.signal), left]);
    if (gone.signal.aborted) return 'client-aborted';
  }
  await Promise.race([new Promise<void>((resolve) => response.end(resolve)), left]);
  return response.writableFinished ? 'ended' : 'client-aborted';
}

type PlayedStep = Exclude<ScriptStep, { readonly kind: 'end' | 'destroy' }>;

async function playStep(response: ServerResponse, step: PlayedStep, gates: Gates, gone: AbortSignal): Promise<void> {
  switch (step.kind) {
    case 'head':
      response.writeHead(step.status ?? 200, { 'content-type': 'text/event-stream', ...step.headers });
      return response.flushHeaders();
    case 'write':
      return write(response, Buffer.from(step.data, step.encoding ?? 'utf8'));
    case 'delay':
      return delay(step.milliseconds);
    case 'wait':
      return gates.wait(step.gate);
    case 'repeat':
      while (!gone.aborted) {
        await write(response, Buffer.from(step.data, 'utf8'));
        await delay(step.everyMilliseconds);
      }
      return;
    case 'hold':
      await once(response, 'close');
  }
}

/** Each write goes out as a piece of its own, as far as the network lets it. */
async function write(response: ServerResponse, data: Buffer): Promise<void> {
  if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
  await new Promise<void>((resolve, reject) => response.write(data, (error) => (error ? reject(error) : resolve())));
  await new Promise(setImmediate);
}
