/** Tells a config file which model the development stack brought, by the variables that it reads. */

export interface OfferedModel {
  readonly baseURL: string;
  readonly apiKey?: string;
  readonly name: string;
  /** It can use few tools at a time. */
  readonly isSmall: boolean;
}

/** Before the config is loaded. What the environment says itself is left as it is. */
export function offerModel(model: OfferedModel, environment: Record<string, string | undefined> = process.env): void {
  const offered = {
    OPENAI_BASE_URL: model.baseURL,
    OPENAI_API_KEY: model.apiKey,
    SOLIDLOOP_MODEL: model.name,
    SOLIDLOOP_MODEL_IS_SMALL: model.isSmall ? '1' : undefined,
  };
  for (const [name, value] of Object.entries(offered)) {
    if (value !== undefined && !environment[name]) environment[name] = value;
  }
}
