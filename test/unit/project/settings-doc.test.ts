/** The table of settings tells every setting, its variable and its true default. */

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readEnvironment, variableOf } from '../../../src/config/environment';
import { DEFAULT_SETTINGS, SETTING_NAMES } from '../../../src/domain/settings';

const table = readFileSync(join(resolve(__dirname, '../../..'), 'docs/settings.md'), 'utf8');

it.each(SETTING_NAMES)('R13: the documented default of %s is the real one', (name) => {
  expect(table).toMatch(new RegExp(`^\\| \`${name}\` +\\| \`${variableOf(name)}\` +\\| ${DEFAULT_SETTINGS[name]} `, 'm'));
});

it.each(SETTING_NAMES)('R13: %s is taken from the environment, and anything but a positive whole number is refused by name', (name) => {
  const variable = variableOf(name);
  expect(readEnvironment({ [variable]: '17' }).engine).toEqual({ [name]: 17 });
  for (const value of ['0', '-1', '1.5', 'soon']) {
    expect(() => readEnvironment({ [variable]: value })).toThrow(
      expect.objectContaining({ code: 'ConfigError', message: expect.stringContaining(`${variable}="${value}"`) as unknown }) as Error,
    );
  }
});

it('R13: without an environment nothing is overridden', () => {
  expect(readEnvironment({})).toMatchObject({
    taskQueue: 'solidloop',
    temporalNamespace: 'default',
    poolSize: 20,
    listen: true,
    engine: {},
  });
});
