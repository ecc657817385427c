/** The process of a scripted model: an OpenAI-compatible HTTP server that does what its script says, and nothing else. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Gates, playSteps } from './play-steps';
import { takeResponse, type QueuedResponse } from './response-queue';
import type { JournalEntry, ScriptedResponse } from './script';

const CONTROL_PREFIX = '/__script/';

type Writable<Value> = { -readonly [Field in keyof Value]: Value[Field] };

class ScriptedModelServer {
  #queue: QueuedResponse[] = [];
  #journal: Writable<JournalEntry>[] = [];
  #gates = new Gates();

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readBody(request);
    const path = request.url ?? '/';
    if (path.startsWith(CONTROL_PREFIX)) return this.#control(path.slice(CONTROL_PREFIX.length), parseOrText(text), response);
    await this.#answer({ request, path, text }, response);
  }

  #control(verb: string, body: unknown, response: ServerResponse): void {
    if (verb === 'push')
      this.#queue.push(...(body as readonly ScriptedResponse[]).map((scripted) => ({ ...scripted, left: scripted.times ?? 1 })));
    else if (verb === 'release') this.#gates.release(String(body));
    else if (verb === 'clear') this.#clear();
    else if (verb !== 'journal') return sendJson(response, 404, `unknown verb "${verb}"; there are push, journal, release, clear`);
    sendJson(response, 200, verb === 'journal' ? this.#journal : null);
  }

  #clear(): void {
    this.#queue = [];
    this.#journal = [];
    this.#gates = new Gates();
  }

  async #answer(
    { request, path, text }: { request: IncomingMessage; path: string; text: string },
    response: ServerResponse,
  ): Promise<void> {
    const body = parseOrText(text);
    const scripted = takeResponse(this.#queue, { path, text, body });
    const entry: Writable<JournalEntry> = {
      number: this.#journal.length + 1,
      method: request.method ?? '',
      path,
      headers: request.headers as Record<string, string>,
      clientPort: request.socket.remotePort ?? 0,
      body,
      response: scripted?.name,
      outcome: 'running',
    };
    this.#journal.push(entry);
    if (scripted === undefined) {
      entry.outcome = 'unscripted';
      return sendJson(response, 500, { error: { type: 'script_over', message: overMessage(entry, this.#queue) } });
    }
    entry.outcome = await playSteps(response, scripted.steps, this.#gates);
  }
}

function overMessage(entry: JournalEntry, queue: readonly QueuedResponse[]): string {
  const left = queue.length === 0 ? 'none is left' : `${queue.length} are left, and none of them matches it`;
  return `the scripted model has no response for request ${entry.number} (${entry.method} ${entry.path}): ${left}`;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function parseOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text; // the journal shows what came, JSON or not
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function main(): void {
  const model = new ScriptedModelServer();
  const server = createServer((request, response) => {
    model.handle(request, response).catch((error: unknown) => {
      process.stderr.write(`the scripted model failed: ${String(error)}\n`);
      response.destroy();
    });
  });
  server.listen(Number(process.argv[2] ?? 0), '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
  process.on('disconnect', () => process.exit(0));
}

if (require.main === module) main();
