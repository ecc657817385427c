/** Hooks see each canonical message, after its commit, and can change nothing that was committed. */

import { sql } from 'kysely';
import { defineAgent } from '../../src/agents/define-agent';
import { defineTool } from '../../src/agents/define-tool';
import { textAnswer, toolCallsAnswer } from '../../src/testing/scripted-answers';
import { startTestApp, type TestApp } from '../support/app';

const now = defineTool({ name: 'now', description: 'The time', effect: 'read', run: () => 'noon' });
const seen: { readonly loop: string; readonly role: string; readonly id: string }[] = [];

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({
    settings: { hookTimeout: 1 },
    agents: (model) => [
      defineAgent({
        name: 'watched',
        model,
        tools: [now],
        hooks: { onMessageCreated: ({ loop, message, messageId }) => void seen.push({ loop: loop.id, role: message.role, id: messageId }) },
      }),
      defineAgent({
        name: 'broken-hook',
        model,
        hooks: {
          onMessageCreated: ({ message }) => {
            if (message.role === 'assistant') throw new Error('the mail server is away');
          },
        },
      }),
      defineAgent({ name: 'endless-hook', model, hooks: { onMessageCreated: () => new Promise<void>(() => undefined) } }),
      defineAgent({
        name: 'careful',
        model,
        tools: [now],
        hooks: {
          onMessageCreated: async ({ message, messageId }, { control }) => {
            if (message.role === 'assistant' && message.toolCalls.length > 0)
              await control({ verb: 'pause', reason: 'a person looks first' }, `look-${messageId}`);
          },
        },
      }),
    ],
  });
});
afterAll(() => app.close());
beforeEach(() => app.model.clear());

const hookEvents = (loopId: string) =>
  sql<{
    kind: string;
    error: string;
  }>`select kind, error from solid_loop.events where loop_id = ${loopId} and kind = 'hook-failed'`.execute(app.database.db);

it('R40, R47: the hook sees each message of the transcript once, with its id as the key', async () => {
  await app.model.push(toolCallsAnswer([{ name: 'now' }]), textAnswer('It is noon'));
  const { loopId } = await app.client.start({ agent: 'watched', message: 'What time is it?' });
  await app.client.result(loopId);
  const transcript = await app.client.transcript(loopId);
  expect(seen.filter(({ loop }) => loop === loopId).map(({ role, id }) => [role, id])).toEqual(
    transcript.map(({ role, id }) => [role, id]),
  );
});

it('R47: a hook that fails or does not end is an event, and the loop completes', async () => {
  await app.model.push(textAnswer('one'), textAnswer('two'));
  const broken = await app.client.start({ agent: 'broken-hook', message: 'hello' });
  await expect(app.client.result(broken.loopId)).resolves.toMatchObject({ status: 'completed', answer: 'one' });
  const endless = await app.client.start({ agent: 'endless-hook', message: 'hello' });
  await expect(app.client.result(endless.loopId)).resolves.toMatchObject({ status: 'completed', answer: 'two' });
  expect((await hookEvents(broken.loopId)).rows).toEqual([{ kind: 'hook-failed', error: 'the mail server is away' }]);
});

it('R40, R60: a hook can pause its loop before the calls it does not like are run', async () => {
  await app.model.push(toolCallsAnswer([{ name: 'now' }]), textAnswer('done'));
  const { loopId } = await app.client.start({ agent: 'careful', message: 'What time is it?' });
  for await (const item of app.client.stream(loopId)) if (item.type === 'loop' && item.loop.status === 'paused') break;
  expect((await app.client.transcript(loopId)).map(({ role }) => role)).toEqual(['user', 'assistant']);
  await app.client.control(loopId, { verb: 'resume' });
  await expect(app.client.result(loopId)).resolves.toMatchObject({ status: 'completed', answer: 'done' });
});
