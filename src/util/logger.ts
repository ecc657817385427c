/** The log as the parts of this package see it: fields first, then a sentence. A pino logger fits. */

export interface Logger {
  readonly debug: LogFunction;
  readonly info: LogFunction;
  readonly warn: LogFunction;
  readonly error: LogFunction;
}

export type LogFunction = (fields: Readonly<Record<string, unknown>>, sentence: string) => void;

const nothing: LogFunction = () => undefined;

/** Says nothing: for tests and for tools that answer by other means. */
export const silentLogger: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };
