/** Chat completions: the API that most servers speak. */

import { apiUrlOf } from '../../network/endpoint-clients';
import { readAnswer } from '../../network/read-answer';
import { sendRequest } from '../../network/send-request';
import { buildChatRequest } from '../../request/build-chat-request';
import type { Provider } from '../provider';

export const chatProvider: Provider = {
  urlOf: (model) => apiUrlOf(model, '/chat/completions'),
  buildRequest: buildChatRequest,
  call: async ({ model, url, body, aggregator, watch, clients, fetch, onSent, onProgress }) => {
    const sent = await sendRequest({ client: clients.get(model), fetch, url, body, signal: watch.signal });
    onSent(sent);
    return readAnswer({ sent, aggregator, watch, onProgress });
  },
};
