import { EndpointClients } from '../../../../src/llm/network/endpoint-clients';

const modelOf = (apiKey: string) => ({ name: 'gpt-5', baseURL: 'https://host/v1', apiKey });

test('P109: a model that is made anew for each loop has one client, as long as its address and key are the same', () => {
  const clients = new EndpointClients();
  expect(clients.get(modelOf('sk-1'))).toBe(clients.get({ ...modelOf('sk-1'), name: 'another' }));
  expect(clients.get(modelOf('sk-1'))).not.toBe(clients.get(modelOf('sk-2')));
});

test('P109: keys that change without end leave no client each', () => {
  const clients = new EndpointClients();
  const first = clients.get(modelOf('sk-first'));
  for (let number = 1; number < 1_000; number += 1) clients.get(modelOf(`sk-${number}`));
  expect(clients.get(modelOf('sk-first'))).toBe(first);
  clients.get(modelOf('sk-1000'));
  expect(clients.get(modelOf('sk-first'))).not.toBe(first);
});
