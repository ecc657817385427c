/** A model without think time, in a process of its own: what it answers depends only on the number of tool messages in the request. */

import { createServer } from 'node:http';

const PIECES = 20;
/** The last: each stream of that number breaks off in its middle; 0: none. */
const [turns = 20, resultChars = 1000, brokenOneIn = 0] = process.argv.slice(2).map(Number);

const head = { id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 1, model: 'bench' };
const event = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const cut = (text: string): string[] =>
  Array.from({ length: PIECES }, (_, piece) =>
    text.slice(Math.floor((piece * text.length) / PIECES), Math.floor(((piece + 1) * text.length) / PIECES)),
  );

function answer(toolMessages: number): string {
  const usage = `data: ${JSON.stringify({ ...head, choices: [], usage: { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 } })}\n\ndata: [DONE]\n\n`;
  if (toolMessages >= turns - 1) {
    const pieces = cut(`the final answer after ${toolMessages} tools `.padEnd(380, 'x')).map((content) => event({ content }));
    return event({ role: 'assistant', content: '' }) + pieces.join('') + event({}, 'stop') + usage;
  }
  const start = event({
    role: 'assistant',
    content: null,
    tool_calls: [{ index: 0, id: `call_${toolMessages}`, type: 'function', function: { name: 'lookup', arguments: '' } }],
  });
  const pieces = cut(JSON.stringify({ size: resultChars, query: `step ${toolMessages} `.padEnd(170, 'q') })).map((text) =>
    event({ tool_calls: [{ index: 0, function: { arguments: text } }] }),
  );
  return start + pieces.join('') + event({}, 'tool_calls') + usage;
}

let requests = 0;
const isBroken = (): boolean => ++requests % brokenOneIn === 0;

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const toolMessages =
      Buffer.concat(parts)
        .toString()
        .match(/"role":"tool"/g)?.length ?? 0;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const whole = answer(toolMessages);
    if (isBroken()) response.write(whole.slice(0, whole.length / 2), () => response.destroy());
    else response.end(whole);
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') process.send?.({ port: address.port });
});
process.on('disconnect', () => process.exit());
