/** A log that is kept, for tests that ask what was said. */

import type { LogFunction, Logger } from '../../src/util/logger';

export interface LogEntry {
  readonly level: keyof Logger;
  readonly sentence: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface RecordingLogger extends Logger {
  readonly entries: readonly LogEntry[];
  /** Sentences of that level. */
  readonly said: (level: keyof Logger) => readonly string[];
}

export function createRecordingLogger(): RecordingLogger {
  const entries: LogEntry[] = [];
  const at =
    (level: keyof Logger): LogFunction =>
    (fields, sentence) =>
      void entries.push({ level, sentence, fields });
  return {
    entries,
    said: (level) => entries.filter((entry) => entry.level === level).map((entry) => entry.sentence),
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
  };
}
