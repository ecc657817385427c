import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { findModel, type LocalServer, type ModelEnvironment } from '../../../src/dev/find-model';
import { findFreePort } from '../../../src/util/free-port';

const NOTHING: ModelEnvironment = {
  modelApiKey: undefined,
  modelBaseUrl: undefined,
  modelName: undefined,
  modelIsSmall: false,
  smallModelFile: undefined,
};

describe('which model serves', () => {
  const servers: Server[] = [];
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
  });

  /** A server whose /v1/models answers so; its base URL. */
  async function serve(status: number, body: unknown): Promise<string> {
    const server = createServer((request, response) => {
      response
        .writeHead(request.url === '/v1/models' ? status : 404, { 'content-type': 'application/json', connection: 'close' })
        .end(JSON.stringify(body));
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  }
  const models = (...names: readonly string[]): unknown => ({ object: 'list', data: names.map((id) => ({ id })) });
  const nowhere = async (): Promise<string> => `http://127.0.0.1:${await findFreePort()}/v1`;
  const local = (baseURL: string): readonly LocalServer[] => [{ kind: 'ollama', title: 'the local Ollama', baseURL }];

  it('the one that the environment names, before a local one', async () => {
    const baseURL = await serve(200, models('first', 'second'));
    const environment = { ...NOTHING, modelBaseUrl: baseURL, modelApiKey: 'k' };
    const model = await findModel({ environment, localServers: local(await serve(200, models('llama'))) });
    expect(model).toEqual({ kind: 'environment', baseURL, apiKey: 'k', model: 'first', isSmall: false, note: `first at ${baseURL}` });
  });

  it('with the name that the environment gives', async () => {
    const environment = { ...NOTHING, modelBaseUrl: await serve(404, {}), modelName: 'mine', modelIsSmall: true };
    expect(await findModel({ environment })).toMatchObject({ model: 'mine', isSmall: true });
  });

  it('a wrong key is one sentence', async () => {
    const baseURL = await serve(401, {});
    const environment = { ...NOTHING, modelBaseUrl: baseURL, modelApiKey: 'wrong' };
    await expect(findModel({ environment })).rejects.toThrow(
      `${baseURL} refuses the key (HTTP 401): correct OPENAI_API_KEY, or unset it and OPENAI_BASE_URL to use a local model`,
    );
  });

  it('an endpoint that does not answer is one sentence', async () => {
    const environment = { ...NOTHING, modelBaseUrl: await nowhere() };
    await expect(findModel({ environment })).rejects.toThrow(/no model answers at http.*ECONNREFUSED.*: correct OPENAI_BASE_URL/);
  });

  it('an endpoint that lists nothing needs a name', async () => {
    const environment = { ...NOTHING, modelBaseUrl: await serve(200, {}) };
    await expect(findModel({ environment })).rejects.toThrow(/does not say which models it has: name one with SOLIDLOOP_MODEL/);
  });

  it('else the first local server that has a model', async () => {
    const [empty, full] = [await serve(200, models()), await serve(200, models('llama'))];
    const localServers: readonly LocalServer[] = [
      { kind: 'ollama', title: 'the local Ollama', baseURL: empty },
      { kind: 'llama-server', title: 'the local llama-server', baseURL: full },
    ];
    expect(await findModel({ environment: NOTHING, localServers })).toEqual({
      kind: 'llama-server',
      baseURL: full,
      model: 'llama',
      isSmall: false,
      note: 'llama of the local llama-server',
    });
  });

  it('not a local server that lacks the model that is named', async () => {
    const localServers = local(await serve(200, models('llama')));
    expect(await findModel({ environment: { ...NOTHING, modelName: 'qwen' }, localServers })).toBeUndefined();
  });

  it('none is found where nothing answers, or a file for the embedded server is named', async () => {
    expect(await findModel({ environment: NOTHING, localServers: local(await nowhere()) })).toBeUndefined();
    const localServers = local(await serve(200, models('llama')));
    expect(await findModel({ environment: { ...NOTHING, smallModelFile: 'm.gguf' }, localServers })).toBeUndefined();
  });
});
