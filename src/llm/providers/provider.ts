/** What an API of models must be able to do: the rest of the LLM side is the same for all. */

import type { ModelSettings } from '../../agents/agent';
import type { EndpointClients, Fetch } from '../network/endpoint-clients';
import type { SentRequest } from '../network/send-request';
import type { StreamWatch } from '../network/stream-watch';
import type { RequestSource } from '../request/build-chat-request';
import type { AnswerAggregator } from '../stream/answer-aggregator';
import type { RawAnswer } from '../stream/raw-answer';

export interface ProviderCall {
  readonly model: ModelSettings;
  readonly url: string;
  /** As `buildRequest` made it and middlewares left it. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Takes chunks in the form of chat completions. */
  readonly aggregator: AnswerAggregator;
  readonly watch: StreamWatch;
  readonly clients: EndpointClients;
  readonly fetch: Fetch;
  /** Told of the response as soon as its headers are there. */
  readonly onSent: (sent: SentRequest) => void;
  /** Called after each piece that brought something. */
  readonly onProgress: () => void;
}

export interface Provider {
  /** Shown in the wire log and in errors. */
  readonly urlOf: (model: ModelSettings) => string;
  /** JSON only; its messages are under `messages` or `input`. */
  readonly buildRequest: (source: RequestSource) => Record<string, unknown>;
  /** @throws ProviderError for everything that is no whole answer; the watch's reason where it was aborted */
  readonly call: (call: ProviderCall) => Promise<RawAnswer>;
}
