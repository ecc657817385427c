/** The Responses API, through the same client and the same reading as chat completions. */

import { apiUrlOf } from '../../network/endpoint-clients';
import { readAnswer } from '../../network/read-answer';
import { sendRequest } from '../../network/send-request';
import type { Provider } from '../provider';
import { buildResponsesRequest } from './build-responses-request';
import { createResponsesTranslator } from './responses-translator';

export const responsesProvider: Provider = {
  urlOf: (model) => apiUrlOf(model, '/responses'),
  buildRequest: buildResponsesRequest,
  call: async ({ model, url, body, aggregator, watch, clients, fetch, onSent, onProgress }) => {
    const send: Parameters<typeof sendRequest>[0]['send'] = (client, options) =>
      client.responses.create(body as never, options).asResponse();
    const sent = await sendRequest({ client: clients.get(model), fetch, url, body, signal: watch.signal, send });
    onSent(sent);
    return readAnswer({ sent, aggregator, watch, onProgress, translate: createResponsesTranslator() });
  },
};
