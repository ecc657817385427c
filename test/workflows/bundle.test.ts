/** The sandbox's code stays small and pure: it bundles, under a named size, without a library that has no business there. */

import { bundleWorkflowCode } from '@temporalio/worker';

const LARGEST_BUNDLE_BYTES = 1_700_000;

it('bundles the workflows without Node, kysely, zod, pg or openai, under its size', async () => {
  const { code } = await bundleWorkflowCode({
    workflowsPath: require.resolve('../../src/workflows'),
    logger: {
      log: () => undefined,
      trace: () => undefined,
      debug: () => undefined,
      info: () => undefined,
      warn: () => undefined,
      error: () => undefined,
    },
  });
  const withoutMap = code.replace(/\/\/# sourceMappingURL=.*/s, '');
  expect(withoutMap.length).toBeLessThan(LARGEST_BUNDLE_BYTES);
  for (const library of ['kysely', 'zod', '/pg/', 'openai', 'pino', 'undici'])
    expect(withoutMap).not.toContain(`node_modules/${library.replaceAll('/', '')}/`);
});
