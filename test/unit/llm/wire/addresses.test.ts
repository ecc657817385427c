/** What a wrong address looks like from here. */

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { agentOf, failureOf, inputOf, recordedPorts } from '../support/turn';

let server: Server;
let origin: string;
beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.url?.startsWith('/old') === true) response.writeHead(301, { location: request.url.replace('/old', '/new') }).end();
    else if (request.method === 'GET') response.writeHead(405).end('{"detail":"Method Not Allowed"}');
    else response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[]}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

const failureAt = (path: string) => failureOf(inputOf(agentOf({ model: { name: 'm', baseURL: origin + path } })), recordedPorts());

test('P95: a redirect that made a GET of the request shows where it led', async () => {
  expect((await failureAt('/old')).message).toContain(`(POST ${origin}/new/chat/completions; check model.baseURL`);
});

test('P103: JSON that is no answer is shown once, with the address', async () => {
  expect((await failureAt('/v1')).message).toBe(
    `HTTP 200, but not an answer of the API; check the base URL: {"data":[]} (${origin}/v1/chat/completions)`,
  );
});
