/** The activity that opens a loop: what the user's functions can and cannot do to it. */

import { MockActivityEnvironment } from '@temporalio/testing';
import type { ActivityDependencies } from '../../../src/activities/dependencies';
import { createOpenLoop } from '../../../src/activities/open-loop';
import type { Agent } from '../../../src/agents/agent';
import { defineAgent } from '../../../src/agents/define-agent';
import { AgentRegistry } from '../../../src/agents/registry';
import type { OpenedLoop } from '../../../src/domain/planned-step';
import { DEFAULT_SETTINGS } from '../../../src/domain/settings';
import { createRecordingLogger } from '../../support/recording-logger';
import { createTestDatabase, type TestDatabase } from '../../support/database';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const logger = createRecordingLogger();

async function openWith(searchSubject: Agent['searchSubject']): Promise<OpenedLoop> {
  const agent = { ...defineAgent({ name: 'librarian', model: { name: 'x', baseURL: 'http://x.test' }, instructions: 'x' }), searchSubject };
  const dependencies = {
    db: test.db,
    agents: new AgentRegistry([agent as Agent]),
    config: { agents: [] },
    settings: DEFAULT_SETTINGS,
    namespaceId: 'namespace-1',
    hasSearchAttributes: true,
    logger,
  } as unknown as ActivityDependencies;
  const workflowId = `loop-${Math.random()}`;
  const environment = new MockActivityEnvironment({ workflowExecution: { workflowId, runId: 'run-1' } });
  const open = createOpenLoop(dependencies);
  return environment.run<Parameters<typeof open>, OpenedLoop, typeof open>(open, { input: { agent: 'librarian', message: 'hello' } });
}

it('R27: a searchSubject that throws stops no loop', async () => {
  const opened = await openWith(() => {
    throw new Error('no such record');
  });
  expect(opened).toMatchObject({ agent: 'librarian', next: { kind: 'turn', turnNumber: 1 } });
  expect(opened).not.toHaveProperty('subject');
  expect(logger.said('warn')).toEqual([expect.stringContaining('searchSubject failed')]);
});

it('R27: a subject that Temporal would refuse in every task is cut, or left out', async () => {
  expect((await openWith(() => 'x'.repeat(3_000))).subject).toHaveLength(255);
  expect(await openWith((() => 42) as unknown as Agent['searchSubject'])).not.toHaveProperty('subject');
});
