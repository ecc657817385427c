/** Picks the provider that speaks a model's API. */

import type { ModelSettings } from '../../agents/agent';
import { aiSdkProvider } from './ai-sdk/ai-sdk-provider';
import { chatProvider } from './chat/chat-provider';
import type { Provider } from './provider';
import { responsesProvider } from './responses/responses-provider';

const PROVIDERS: Readonly<Record<NonNullable<ModelSettings['api']>, Provider>> = {
  chat: chatProvider,
  responses: responsesProvider,
  'ai-sdk': aiSdkProvider,
};

export const providerOf = ({ api }: Pick<ModelSettings, 'api'>): Provider => PROVIDERS[api ?? 'chat'];
