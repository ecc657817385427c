import { parseBaseUrl } from '../../../../src/llm/families/base-url';
import { endpointOf } from '../../../../src/llm/families/provider-family';
import { apiUrlOf, EndpointClients } from '../../../../src/llm/network/endpoint-clients';
import { startScriptedModel } from '../../../../src/testing/scripted-model';
import { textAnswer } from '../../../../src/testing/scripted-answers';
import { agentOf, answerOf, inputOf, recordedPorts } from '../support/turn';

test.each([
  ['http://h/v1', 'http://h/v1/chat/completions'],
  ['http://h/v1/', 'http://h/v1/chat/completions'],
  ['http://h/v1//', 'http://h/v1/chat/completions'],
  [' http://h/v1 ', 'http://h/v1/chat/completions'],
  ['http://h', 'http://h/chat/completions'],
  ['http://h/api/paas/v4', 'http://h/api/paas/v4/chat/completions'],
  ['http://h/v1/chat/completions', 'http://h/v1/chat/completions'],
  ['http://h/v1/chat/completions/', 'http://h/v1/chat/completions'],
  ['http://h/openai/deployments/gpt?api-version=2024-06-01', 'http://h/openai/deployments/gpt/chat/completions?api-version=2024-06-01'],
  ['http://h/v1/responses?a=1#top', 'http://h/v1/chat/completions?a=1'],
])('R84, P95: %s is asked at %s', (baseURL, url) => {
  expect(apiUrlOf({ name: 'm', baseURL }, '/chat/completions')).toBe(url);
});

test('R42: user and password are a header, and no part of any address or key', () => {
  const baseURL = 'https://me:p%40ss@h/v1?key=secret';
  expect(parseBaseUrl(baseURL)).toEqual({ base: 'https://h/v1', search: '?key=secret', authorization: `Basic ${btoa('me:p@ss')}` });
  expect(endpointOf({ name: 'm', baseURL })).toBe('https://h/v1 m');
});

test('R84: query and user of the address go with the request', async () => {
  const server = await startScriptedModel();
  const clients = new EndpointClients();
  await server.push(textAnswer('ok'));
  const baseURL = `${server.baseURL.replace('//', '//me:pass@')}/chat/completions?api-version=2024-06-01`;
  await answerOf(inputOf(agentOf({ model: { name: 'm', baseURL } })), recordedPorts({ clients }));
  const [request] = await server.journal();
  await clients.close();
  await server.stop();
  expect(request?.path).toBe('/v1/chat/completions?api-version=2024-06-01');
  expect(request?.headers.authorization).toBe(`Basic ${btoa('me:pass')}`);
});
