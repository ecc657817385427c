/** The verbs of control through the client, on loops that really run: what becomes of calls in flight, of messages, of workflows. */

import { Client, Connection } from '@temporalio/client';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent';
import { defineTool } from '../../src/agents/define-tool';
import type { ControlRequest } from '../../src/domain/control';
import { errorAnswer, textAnswer, toolCallsAnswer } from '../../src/testing/scripted-answers';
import { startTestApp, type TestApp } from '../support/app';
import { waitUntil } from '../support/wait-until';
import { temporalAddress } from '../support/workflows';

/** Bodies that run until the test lets them, or their signal ends them. */
const bodies: { readonly release: () => void; readonly signal: AbortSignal }[] = [];
const holding = (name: string, effect: 'read' | 'unsafe') =>
  defineTool({
    name,
    description: 'Waits',
    input: z.object({}),
    effect,
    run: (_input, { signal }) =>
      new Promise<string>((resolve, reject) => {
        bodies.push({ release: () => resolve('done'), signal });
        if (effect === 'read') signal.addEventListener('abort', () => reject(signal.reason as Error));
      }),
  });

let app: TestApp;
let temporal: Client;
beforeAll(async () => {
  app = await startTestApp({
    settings: { shutdownGrace: 1 },
    agents: (model) => [defineAgent({ name: 'clerk', model, tools: [holding('look', 'read'), holding('send', 'unsafe')] })],
  });
  temporal = new Client({ connection: await Connection.connect({ address: temporalAddress() }) });
});
afterAll(async () => {
  await app.close();
  await temporal.connection.close();
});
beforeEach(async () => {
  bodies.splice(0);
  await app.model.clear();
});

const held = textAnswer(['A', 'B'], { between: [{ kind: 'wait', gate: 'never' }] });

async function loopInTurn(): Promise<string> {
  await app.model.push(held);
  const { loopId } = await app.client.start({ agent: 'clerk', message: 'Hello' });
  await app.model.waitUntil((journal) => journal.length === 1);
  return loopId;
}

async function loopInTool(name: string): Promise<string> {
  await app.model.push(toolCallsAnswer([{ name }]));
  const { loopId } = await app.client.start({ agent: 'clerk', message: 'Hello' });
  await waitUntil('the body to run', () => bodies.length === 1);
  return loopId;
}

const ask = async (loopId: string, request: ControlRequest) => {
  const answer = await app.client.control(loopId, request);
  return answer.ok ? answer.effect : answer.code;
};
const untilAborted = () => app.model.waitUntil((journal) => journal[0]?.outcome === 'client-aborted');
const untilStatus = (loopId: string, status: string) =>
  waitUntil(`the loop to be ${status}`, async () => (await app.client.get(loopId)).status === status);
const textsOf = async (loopId: string) => (await app.client.transcript(loopId)).map(({ content }) => content);
const answerOf = async (loopId: string) => (await app.client.result(loopId)).answer;

describe('pause', () => {
  it('R33, R60, R61: ends the call in flight, keeps its text from the transcript, and resume asks anew', async () => {
    const loopId = await loopInTurn();
    expect(await ask(loopId, { verb: 'pause', reason: 'lunch' })).toBe('paused');
    await untilAborted();
    await app.model.push(textAnswer('Whole.'));
    expect(await textsOf(loopId)).toEqual(['Hello']);
    expect(await ask(loopId, { verb: 'resume' })).toBe('resumed');
    expect(await answerOf(loopId)).toBe('Whole.');
    expect(await textsOf(loopId)).toEqual(['Hello', 'Whole.']);
  });

  it('R60: after the step, waits for the answer and its calls', async () => {
    const loopId = await loopInTool('look');
    expect(await ask(loopId, { verb: 'pause', when: 'afterStep' })).toBe('deferred');
    bodies[0]?.release();
    await untilStatus(loopId, 'paused');
    expect(await textsOf(loopId)).toEqual(['Hello', null, 'done']);
    await app.model.push(textAnswer('Then.'));
    await ask(loopId, { verb: 'resume' });
    expect(await answerOf(loopId)).toBe('Then.');
  });

  it('R60, R61, R75: aborts the body of a read, which runs again; lets one that is unsafe finish, which does not', async () => {
    const reading = await loopInTool('look');
    await ask(reading, { verb: 'pause' });
    await waitUntil('the body to be aborted', () => bodies[0]?.signal.aborted);
    await ask(reading, { verb: 'resume' });
    await waitUntil('the body to run again', () => bodies.length === 2);
    await app.model.push(textAnswer('Read.'));
    bodies[1]?.release();
    expect(await answerOf(reading)).toBe('Read.');

    bodies.splice(0);
    await app.model.clear();
    const sending = await loopInTool('send');
    await ask(sending, { verb: 'pause' });
    bodies[0]?.release();
    await waitUntil('what it did to be kept', async () => {
      const call = await app.database.db.selectFrom('tool_calls').select('executed_at').where('loop_id', '=', sending).executeTakeFirst();
      return call?.executed_at ?? undefined;
    });
    await app.model.push(textAnswer('Sent.'));
    await ask(sending, { verb: 'resume' });
    expect(await answerOf(sending)).toBe('Sent.');
    expect(bodies).toHaveLength(1);
  });
});

describe('steering', () => {
  it('R62, R63: messages are delivered in order with the next turn, and one that comes with the last answer is not stranded', async () => {
    const loopId = await loopInTurn();
    for (const message of ['one', 'two']) expect(await ask(loopId, { verb: 'steer', message })).toBe('message-kept');
    await app.model.push(textAnswer('And both.'));
    await app.model.release('never');
    expect(await answerOf(loopId)).toBe('And both.');
    expect(await textsOf(loopId)).toEqual(['Hello', 'AB', 'one', 'two', 'And both.']);
  });

  it('R62: an interruption ends the turn in flight for the message', async () => {
    const loopId = await loopInTurn();
    await app.model.push(textAnswer('Sure.'));
    expect(await ask(loopId, { verb: 'steer', message: 'Stop that.', interrupt: true })).toBe('interrupted');
    await untilAborted();
    expect(await answerOf(loopId)).toBe('Sure.');
    expect(await textsOf(loopId)).toEqual(['Hello', 'Stop that.', 'Sure.']);
  });
});

describe('stop and what comes after', () => {
  it('R65, R66: stop cancels at once, Temporal shows Canceled, and reopen goes on', async () => {
    const loopId = await loopInTurn();
    const { workflowId } = await app.client.get(loopId);
    expect(await ask(loopId, { verb: 'stop' })).toBe('cancelled');
    await untilAborted();
    await waitUntil(
      'Temporal to show it',
      async () => (await temporal.workflow.getHandle(workflowId).describe()).status.name === 'CANCELLED',
    );
    await app.model.push(textAnswer('Again.'));
    expect(await ask(loopId, { verb: 'reopen', message: 'Once more' })).toBe('reopened');
    expect(await answerOf(loopId)).toBe('Again.');
    expect(await textsOf(loopId)).toEqual(['Hello', 'Once more', 'Again.']);
  });

  it('R60: stop after the step lets the answer be committed', async () => {
    const loopId = await loopInTool('look');
    expect(await ask(loopId, { verb: 'stop', when: 'afterStep' })).toBe('deferred');
    bodies[0]?.release();
    await untilStatus(loopId, 'cancelled');
    expect(await textsOf(loopId)).toEqual(['Hello', null, 'done']);
  });

  it('R65: retry takes a failed turn up as it was', async () => {
    await app.model.push(errorAnswer(401, { message: 'Incorrect API key' }), textAnswer('Now.'));
    const { loopId } = await app.client.start({ agent: 'clerk', message: 'Hello' });
    await untilStatus(loopId, 'failed');
    expect(await ask(loopId, { verb: 'retry' })).toBe('retried');
    expect(await answerOf(loopId)).toBe('Now.');
    expect((await app.client.get(loopId)).turnNumber).toBe(2);
  });

  it('R67: retry skips the wait of a loop that waits for its provider', async () => {
    await app.model.push(errorAnswer(429, { message: 'slow down' }, { headers: { 'retry-after': '600' } }), textAnswer('Now.'));
    const { loopId } = await app.client.start({ agent: 'clerk', message: 'Hello' });
    await waitUntil('the back-off', async () => (await app.client.get(loopId)).turnFailures === 1);
    expect(await ask(loopId, { verb: 'retry' })).toBe('retried');
    expect(await answerOf(loopId)).toBe('Now.');
  });
});

describe('freeze', () => {
  it('R64: holds a loop until it is unfrozen and resumed, and keeps what is sent to it', async () => {
    const loopId = await loopInTurn();
    expect(await ask(loopId, { verb: 'freeze', reason: 'audit' })).toBe('frozen');
    await untilAborted();
    expect(await ask(loopId, { verb: 'resume' })).toBe('LoopFrozen');
    expect(await ask(loopId, { verb: 'steer', message: 'Later.' })).toBe('message-kept');
    expect(await ask(loopId, { verb: 'unfreeze' })).toBe('unfrozen');
    expect((await app.client.get(loopId)).status).toBe('paused');
    await app.model.push(textAnswer('Back.'));
    await ask(loopId, { verb: 'resume' });
    expect(await answerOf(loopId)).toBe('Back.');
    expect(await textsOf(loopId)).toEqual(['Hello', 'Later.', 'Back.']);
  });
});

describe('erase', () => {
  it('with force, stops a loop that runs, deletes its rows and ends its workflow', async () => {
    const loopId = await loopInTurn();
    const { workflowId } = await app.client.get(loopId);
    await expect(app.client.erase(loopId)).rejects.toMatchObject({ code: 'LoopNotTerminal' });
    expect(await app.client.erase(loopId, { force: true })).toMatchObject({ status: 'cancelled', rows: { messages: 2 } });
    await untilAborted();
    await expect(app.client.get(loopId)).rejects.toMatchObject({ code: 'LoopNotFound' });
    await waitUntil(
      'the workflow to end',
      async () => (await temporal.workflow.getHandle(workflowId).describe()).status.name !== 'RUNNING',
    );
  });
});

it('R60, R74: works with no worker alive, and the same key is answered as before', async () => {
  const loopId = await loopInTurn();
  await ask(loopId, { verb: 'pause' });
  await app.stopWorker();
  try {
    const first = await app.client.control(loopId, { verb: 'steer', message: 'Later.' }, { key: 'k' });
    expect(await app.client.control(loopId, { verb: 'steer', message: 'Later.' }, { key: 'k' })).toEqual(first);
    expect(await ask(loopId, { verb: 'resume' })).toBe('resumed');
  } finally {
    await app.model.push(textAnswer('Here.'));
    await app.startWorker();
  }
  expect(await answerOf(loopId)).toBe('Here.');
  expect(await textsOf(loopId)).toEqual(['Hello', 'Later.', 'Here.']);
});

it('R69: a message over 1 MB is refused with its size, an empty one and an unknown loop by name', async () => {
  const loopId = await loopInTurn();
  await expect(app.client.control('loop-of-nobody', { verb: 'pause' })).rejects.toMatchObject({ code: 'LoopNotFound' });
  expect(await ask(loopId, { verb: 'steer', message: '' })).toBe('InvalidInput');
  expect(await app.client.control(loopId, { verb: 'steer', message: 'x'.repeat(1_000_001) })).toMatchObject({
    ok: false,
    code: 'InvalidInput',
    message: expect.stringContaining('1000001 bytes') as unknown,
  });
  expect(await ask(loopId, { verb: 'steer', message: 'x'.repeat(1_000_000) })).toBe('message-kept');
  await ask(loopId, { verb: 'stop' });
});
