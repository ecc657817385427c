/** What the package gives is a list that is signed: a change of it is a change of the promise. */

import * as solidloop from '../../../src/index';

it('exports these values and no others', () => {
  expect(Object.keys(solidloop).toSorted()).toEqual([
    'SolidLoopClient',
    'SolidLoopError',
    'controlUpdate',
    'createApp',
    'createDatabase',
    'defineAgent',
    'defineConfig',
    'defineTool',
    'loadConfig',
    'migrateToLatest',
    'statusQuery',
    'textToolCalls',
    'verbSignals',
    'verifyWebhook',
    'wakeSignal',
  ]);
});
