/** A model whose answers a test writes: a real HTTP server in a process of its own, and the handle that scripts it. */

import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { extname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { JournalEntry, ScriptedResponse } from './script';

const JOURNAL_POLL_MS = 15;
const WAIT_LIMIT_MS = 30_000;

export interface ScriptedModel {
  /** What a model's `baseURL` is set to. */
  readonly baseURL: string;
  /** Puts responses at the end of the queue. A request takes the first one that matches it. */
  readonly push: (...responses: readonly ScriptedResponse[]) => Promise<void>;
  /** Every request so far, in order, with its whole body and how it ended. */
  readonly journal: () => Promise<readonly JournalEntry[]>;
  /** Waits for the journal to fulfil a condition. @throws Error after 30 s, with the journal */
  readonly waitUntil: (condition: (journal: readonly JournalEntry[]) => boolean) => Promise<readonly JournalEntry[]>;
  /** Lets every `wait` step of this gate go on, now and later. */
  readonly release: (gate: string) => Promise<void>;
  /** Forgets queue, gates and journal. Connections that are open stay. */
  readonly clear: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Starts the server's process. It ends with `stop`, or with this process. */
export async function startScriptedModel(options: { /** @default a free one */ readonly port?: number } = {}): Promise<ScriptedModel> {
  const child = forkServer(options.port ?? 0);
  const port = await portOf(child);
  const origin = `http://127.0.0.1:${port}`;
  const journal = () => ask<readonly JournalEntry[]>(origin, 'journal');
  return {
    baseURL: `${origin}/v1`,
    push: (...responses) => ask(origin, 'push', responses),
    journal,
    waitUntil: (condition) => waitUntil(journal, condition),
    release: (gate) => ask(origin, 'release', gate),
    clear: () => ask(origin, 'clear'),
    stop: () => stop(child),
  };
}

function forkServer(port: number): ChildProcess {
  const extension = extname(__filename);
  const loader = extension === '.ts' ? ['--import', pathToFileURL(require.resolve('tsx')).href] : [];
  return fork(join(__dirname, `scripted-model-server${extension}`), [String(port)], {
    execArgv: loader,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
}

async function portOf(child: ChildProcess): Promise<number> {
  const started = once(child, 'message').then(([message]) => message as { readonly port: number });
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the scripted model's process ended with code ${String(code)} before it listened`);
  });
  const { port } = await Promise.race([started, ended]);
  ended.catch(() => undefined); // its later end is the end that `stop` asks for
  return port;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

async function waitUntil(
  journal: () => Promise<readonly JournalEntry[]>,
  condition: (journal: readonly JournalEntry[]) => boolean,
): Promise<readonly JournalEntry[]> {
  const deadline = Date.now() + WAIT_LIMIT_MS;
  for (;;) {
    const entries = await journal();
    if (condition(entries)) return entries;
    if (Date.now() > deadline)
      throw new Error(`the scripted model waited ${WAIT_LIMIT_MS} ms in vain; its journal: ${JSON.stringify(entries)}`);
    await delay(JOURNAL_POLL_MS);
  }
}

async function ask<Answer = void>(origin: string, verb: string, body: unknown = null): Promise<Answer> {
  const response = await fetch(`${origin}/__script/${verb}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { connection: 'close' },
  });
  if (!response.ok) throw new Error(`the scripted model refused "${verb}": ${await response.text()}`);
  return (await response.json()) as Answer;
}
