/** The engine's settings with their defaults filled in, each checked (R13). */

import { SolidLoopError } from './errors';
import { DEFAULT_SETTINGS, SETTING_NAMES, type EngineSettings } from './settings';

/** @throws ConfigError with the setting's name and the reason */
export function resolveSettings(given: Partial<EngineSettings>): EngineSettings {
  for (const [name, value] of Object.entries(given)) assertSetting(name, value);
  return { ...DEFAULT_SETTINGS, ...withoutAbsent(given) };
}

function assertSetting(name: string, value: unknown): void {
  if (!(SETTING_NAMES as readonly string[]).includes(name)) {
    throw new SolidLoopError('ConfigError', `there is no setting "${name}"; there are: ${SETTING_NAMES.join(', ')}`, { field: name });
  }
  if (value === undefined || (Number.isSafeInteger(value) && (value as number) > 0)) return;
  throw new SolidLoopError('ConfigError', `the setting "${name}" must be a positive whole number; got ${JSON.stringify(value) ?? String(value)}`, { field: name });
}

function withoutAbsent(given: Partial<EngineSettings>): Partial<EngineSettings> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Partial<EngineSettings>;
}
