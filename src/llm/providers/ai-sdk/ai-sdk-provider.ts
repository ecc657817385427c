/** Any language model of a Vercel AI SDK provider, behind the same contract as the HTTP APIs. */

import type { ModelSettings } from '../../../agents/agent';
import { abortable } from '../../abortable';
import { ProviderError } from '../../errors/provider-error';
import { isObject } from '../../foreign-json';
import type { RawAnswer } from '../../stream/raw-answer';
import type { Provider, ProviderCall } from '../provider';
import { buildAiSdkRequest } from './build-ai-sdk-request';
import { languageModelOf, type LanguageModel } from './language-model';
import { PartTranslator } from './part-translator';
import { toProviderError } from './to-provider-error';

const urlOf = (model: ModelSettings): string => {
  const { provider, modelId } = languageModelOf(model);
  return `ai-sdk://${provider}/${modelId}`;
};

export const aiSdkProvider: Provider = {
  urlOf,
  buildRequest: buildAiSdkRequest,
  call: async (call) => {
    const model = languageModelOf(call.model);
    try {
      return call.body.stream === false ? await callWhole(model, call) : await callStreamed(model, call);
    } catch (error) {
      call.watch.signal.throwIfAborted();
      throw toProviderError(error, call.url);
    }
  },
};

function optionsOf({ model, body, watch }: ProviderCall): Readonly<Record<string, unknown>> {
  const { messages, stream: _stream, ...options } = body;
  const prompt = Array.isArray(messages) ? messages.map(withUrls) : [];
  return { ...options, prompt, abortSignal: watch.signal, ...(model.headers === undefined ? {} : { headers: model.headers }) };
}

/** JSON holds addresses as text; the SDK tells them from base64 by their type. */
function withUrls(message: unknown): unknown {
  if (!isObject(message) || !Array.isArray(message.content)) return message;
  return {
    ...message,
    content: message.content.map((part: unknown) => (isFileByUrl(part) ? { ...part, data: new URL(part.data) } : part)),
  };
}

const isFileByUrl = (part: unknown): part is { readonly data: string } =>
  isObject(part) && part.type === 'file' && typeof part.data === 'string' && /^https?:/.test(part.data);

async function callWhole(model: LanguageModel, call: ProviderCall): Promise<RawAnswer> {
  const result = await abortable(model.doGenerate(optionsOf(call)), call.watch.signal);
  for (const chunk of new PartTranslator().translateWhole(result)) call.aggregator.push(chunk);
  return call.aggregator.finish();
}

async function callStreamed(model: LanguageModel, call: ProviderCall): Promise<RawAnswer> {
  const { aggregator, watch, url } = call;
  const { stream, response } = await abortable(model.doStream(optionsOf(call)), watch.signal);
  call.onSent({ info: { url, status: 200, headers: response?.headers ?? {} }, body: null });
  const translator = new PartTranslator();
  const reader = stream.getReader();
  try {
    while (!aggregator.isFinished) {
      const { done, value } = await abortable(reader.read(), watch.signal);
      if (done) throw new ProviderError('the stream ended before its finish reason', { kind: 'stream', url });
      if (isObject(value)) takePart(value, translator, call);
    }
    return aggregator.finish();
  } finally {
    reader.cancel().catch(() => undefined); // the answer is whole, or its error is on its way
  }
}

function takePart(
  part: Readonly<Record<string, unknown>>,
  translator: PartTranslator,
  { aggregator, watch, url, onProgress }: ProviderCall,
): void {
  watch.touchBytes();
  if (part.type === 'error') throw toProviderError(part.error, url);
  const before = aggregator.progress;
  aggregator.push(translator.translate(part));
  if (aggregator.progress === before) return;
  watch.touchProgress();
  onProgress();
}
