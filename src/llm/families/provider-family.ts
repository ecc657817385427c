/** Tells which family of providers serves a model, by its host and by the model's name (provider cases, general rule 4). */

import type { ModelSettings, ProviderQuirks } from '../../agents/agent';
import { parseBaseUrl } from './base-url';

/** What a family needs beyond the quirks that an agent may set. */
export interface FamilyTraits extends ProviderQuirks {
  /** What a call's id must look like, where `callIds` is `any`. */
  readonly callIdPattern: RegExp;
  /** JSON Schema keys that the family refuses in a tool's parameters (P94). */
  readonly schemaDialect: 'plain' | 'gemini';
  /** System messages after the first are sent as the user's. */
  readonly systemFirst: boolean;
  /** `response_format` with a schema may stand beside tools. */
  readonly schemaBesideTools: boolean;
}

export interface ProviderFamily {
  /** Of the host where it is known, else of the model, else `unknown`. */
  readonly name: string;
  readonly traits: FamilyTraits;
}

interface FamilyRule {
  readonly name: string;
  readonly matches: RegExp;
  readonly traits: Partial<FamilyTraits>;
}

const DEFAULT_TRAITS: FamilyTraits = {
  streamUsage: true,
  emptyContent: 'null',
  replayReasoning: 'never',
  replayExtras: false,
  assistantAfterTool: false,
  toolsForHistory: false,
  callIds: 'any',
  callIdPattern: /^\S+$/,
  schemaDialect: 'plain',
  schemaBesideTools: false,
  systemFirst: false,
};

const OPENAI_URL = 'https://api.openai.com/v1';

/** Needs of the model itself, whoever serves it; by name. */
const MODEL_RULES: readonly FamilyRule[] = [
  { name: 'deepseek', matches: /deepseek/i, traits: { replayReasoning: 'with-calls' } },
  { name: 'moonshot', matches: /kimi|moonshot/i, traits: { replayReasoning: 'with-calls' } },
  { name: 'minimax', matches: /minimax/i, traits: { replayReasoning: 'with-calls', replayExtras: true } },
  { name: 'xiaomi', matches: /(^|\/)mimo/i, traits: { replayReasoning: 'with-calls' } },
  {
    name: 'mistral',
    matches: /mi[sx]tral|codestral|devstral|magistral|pixtral/i,
    traits: { callIds: 'nine-alphanumeric', assistantAfterTool: true, systemFirst: true },
  },
  {
    name: 'anthropic',
    matches: /claude/i,
    traits: { replayExtras: true, toolsForHistory: true, systemFirst: true, callIdPattern: /^[\w-]{1,64}$/ },
  },
  { name: 'gemini', matches: /gemini/i, traits: { replayExtras: true, schemaDialect: 'gemini' } },
];

/** Needs of whoever answers; by host and port. They win over the model's. */
const HOST_RULES: readonly FamilyRule[] = [
  { name: 'openai', matches: /(^|\.)openai\.com$|\.openai\.azure\.com$/, traits: { schemaBesideTools: true, callIdPattern: /^\S{1,40}$/ } },
  {
    name: 'openrouter',
    matches: /(^|\.)openrouter\.ai$/,
    traits: { replayExtras: true, replayReasoning: 'never', schemaBesideTools: true },
  },
  { name: 'deepseek', matches: /(^|\.)deepseek\.com$/, traits: { replayReasoning: 'with-calls' } },
  { name: 'moonshot', matches: /(^|\.)moonshot\.(cn|ai)$/, traits: { replayReasoning: 'with-calls' } },
  {
    name: 'mistral',
    matches: /(^|\.)mistral\.ai$/,
    traits: { callIds: 'nine-alphanumeric', assistantAfterTool: true, replayReasoning: 'never' },
  },
  {
    name: 'anthropic',
    matches: /(^|\.)anthropic\.com$/,
    traits: { replayExtras: true, toolsForHistory: true, callIdPattern: /^[\w-]{1,64}$/ },
  },
  {
    name: 'bedrock',
    matches: /bedrock.*\.amazonaws\.com$/,
    traits: { toolsForHistory: true, replayReasoning: 'never', callIdPattern: /^[\w-]{1,64}$/ },
  },
  { name: 'gemini', matches: /(^|\.)(googleapis|google)\.com$/, traits: { replayExtras: true, schemaDialect: 'gemini' } },
  { name: 'cerebras', matches: /(^|\.)cerebras\.ai$/, traits: { replayReasoning: 'never', replayExtras: false } },
  { name: 'groq', matches: /(^|\.)groq\.com$/, traits: { replayReasoning: 'never', replayExtras: false } },
  { name: 'ollama', matches: /:11434$/, traits: { emptyContent: 'empty-string' } },
];

/** `baseURL` and `api` tell who answers. */
export type ModelAddress = Pick<ModelSettings, 'name' | 'baseURL' | 'api'>;

/** Models of the AI SDK have no address of their own: their names tell what they are. */
export const baseUrlOf = ({ baseURL, api }: ModelAddress): string => baseURL ?? (api === 'ai-sdk' ? 'ai-sdk://model' : OPENAI_URL);

/** The model's needs, overruled by those of its host. */
export function familyOf(model: ModelAddress): ProviderFamily {
  const address = addressOf(baseUrlOf(model));
  const byModel = MODEL_RULES.find((rule) => rule.matches.test(model.name));
  const byHost = HOST_RULES.find((rule) => rule.matches.test(address.host) || rule.matches.test(`:${address.port}`));
  return { name: byHost?.name ?? byModel?.name ?? 'unknown', traits: { ...DEFAULT_TRAITS, ...byModel?.traits, ...byHost?.traits } };
}

/** The key of what was learnt from one endpoint's refusals: facts of one model do not hold for another. */
export const endpointOf = (model: ModelAddress): string => `${parseBaseUrl(baseUrlOf(model)).base} ${model.name}`;

/** Family, then what the agent says, then what the provider's own refusals taught. */
export function traitsOf(
  model: ModelAddress & Pick<ModelSettings, 'quirks'>,
  learnt: Readonly<Record<string, unknown>> = {},
): FamilyTraits {
  return { ...familyOf(model).traits, ...model.quirks, ...learnt };
}

function addressOf(baseURL: string): { readonly host: string; readonly port: string } {
  const url = URL.canParse(baseURL) ? new URL(baseURL) : undefined;
  return { host: url?.hostname.toLowerCase() ?? '', port: url?.port ?? '' };
}
