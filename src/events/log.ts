/** The process's own log: one JSON line an event, secrets left out, and the bridge that Temporal's runtime writes through. */

import { pino, type DestinationStream, type Logger } from 'pino';
import { REDACTED } from './redact';

export interface LogOptions {
  /** @default 'info' */
  readonly level?: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** Where the lines go. @default standard output */
  readonly destination?: DestinationStream;
}

const SECRET_FIELDS = [
  'apiKey',
  'api_key',
  'authorization',
  'Authorization',
  'password',
  'token',
  'secret',
  'cookie',
  'connectionString',
  'databaseUrl',
];
const SECRET_HEADERS = ['x-api-key', 'api-key', 'proxy-authorization', 'set-cookie', 'mcp-session-id'];

/** `*.apiKey` does not match a top-level `apiKey`: each depth is named. */
export const REDACT_PATHS: readonly string[] = ['', '*.', '*.*.'].flatMap((depth) => [
  ...SECRET_FIELDS.map((field) => `${depth}${field}`),
  ...SECRET_HEADERS.map((header) => `${depth === '' ? '' : depth.slice(0, -1)}["${header}"]`),
]);

/** Structured logs with `loopId` and `turnNumber` as fields where they are known. */
export function createLogger(options: LogOptions = {}): Logger {
  const settings = {
    level: options.level ?? 'info',
    base: null,
    redact: { paths: [...REDACT_PATHS], censor: REDACTED },
    timestamp: pino.stdTimeFunctions.isoTime,
  };
  return options.destination === undefined ? pino(settings) : pino(settings, options.destination);
}

type TemporalLevel = 'TRACE' | 'DEBUG' | 'INFO' | 'WARN' | 'ERROR';
type TemporalMetadata = Record<string | symbol, unknown>;

/** What `Runtime.install({ logger })` takes. */
export interface TemporalLogger {
  log(level: TemporalLevel, message: string, metadata?: TemporalMetadata): void;
  trace(message: string, metadata?: TemporalMetadata): void;
  debug(message: string, metadata?: TemporalMetadata): void;
  info(message: string, metadata?: TemporalMetadata): void;
  warn(message: string, metadata?: TemporalMetadata): void;
  error(message: string, metadata?: TemporalMetadata): void;
}

/** Temporal's own log lines, in the same log. */
export function toTemporalLogger(logger: Logger): TemporalLogger {
  const write = (level: 'trace' | 'debug' | 'info' | 'warn' | 'error') => (message: string, metadata?: TemporalMetadata) =>
    logger[level](plain(metadata), message);
  const levels = { trace: write('trace'), debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
  return {
    ...levels,
    log: (level, message, metadata) => levels[level.toLowerCase() as keyof typeof levels](message, metadata),
  };
}

/** Temporal marks its lines with symbols and bigints, which JSON does not know; an error keeps its text. */
function plain(metadata: TemporalMetadata = {}): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(metadata).map(([name, value]) => [name === 'error' ? 'err' : name, typeof value === 'bigint' ? String(value) : value]),
  );
}
