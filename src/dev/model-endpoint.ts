/** Where a model answers, and what the person at the terminal should know about it. */
export interface ModelEndpoint {
  readonly kind: 'environment' | 'ollama' | 'llama-server' | 'embedded';
  /** Of an OpenAI-compatible API, with `/v1`. */
  readonly baseURL: string;
  /** Absent where none is needed. */
  readonly apiKey?: string;
  readonly model: string;
  /** True for a model that can use few tools at a time. */
  readonly isSmall: boolean;
  /** A sentence; says of the embedded model that it is small. */
  readonly note: string;
}
