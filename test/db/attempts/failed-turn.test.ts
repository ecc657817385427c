/** What an attempt of a turn leaves in the tables where it did not reach its commit. */

import type { Attempt } from '../../../src/activities/attempt';
import type { ActivityDependencies } from '../../../src/activities/dependencies';
import { endFailedTurn } from '../../../src/activities/end-failed-turn';
import { resolveModel } from '../../../src/activities/resolve-agent';
import { defineAgent } from '../../../src/agents/define-agent';
import type { Agent } from '../../../src/agents/agent';
import { AgentRegistry } from '../../../src/agents/registry';
import { type ErrorCode, SolidLoopError } from '../../../src/domain/errors';
import { DEFAULT_SETTINGS } from '../../../src/domain/settings';
import { silentLogger } from '../../../src/util/logger';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { commitTurn } from '../../../src/db/turns/commit-turn';
import { acceptedCall, anyAnswer, loopInTurn, loopRow } from '../../support/loops';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const attempt = { release: () => undefined } as unknown as Attempt;
const dependencies = (): ActivityDependencies =>
  ({
    db: test.db,
    agents: new AgentRegistry([]),
    settings: { ...DEFAULT_SETTINGS, hookTimeout: 0.05 },
    logger: silentLogger,
  }) as unknown as ActivityDependencies;

const GIVEN_BACK: readonly ErrorCode[] = ['WorkerShutdown', 'McpUnreachable', 'UnknownTool', 'UnknownAgent', 'TemporalUnavailable'];

it.each(GIVEN_BACK)('R46, R58: %s gives the turn back and is thrown, so that it comes again', async (code) => {
  const turn = await loopInTurn(test.db);
  const error = new SolidLoopError(code, 'not now');
  await expect(endFailedTurn(dependencies(), attempt, { ...turn, elapsedSeconds: () => 1 }, error)).rejects.toBe(error);
  expect(await loopRow(test.db, turn.loopId)).toMatchObject({ status: 'queued', lease_expires_at: null, turn_failures: 0, step_count: 0 });
});

it.each<ErrorCode>(['DatabaseUnavailable', 'SchemaMismatch', 'LostLease'])(
  'R24: %s writes nothing, the next attempt reads what happened',
  async (code) => {
    const turn = await loopInTurn(test.db);
    const before = await loopRow(test.db, turn.loopId);
    const error = new SolidLoopError(code, 'not now');
    await expect(endFailedTurn(dependencies(), attempt, { ...turn, elapsedSeconds: () => 1 }, error)).rejects.toBe(error);
    expect(await loopRow(test.db, turn.loopId)).toEqual(before);
  },
);

it('R41: a turn that ran past its limit counts as a step, with the time that it took', async () => {
  const turn = await loopInTurn(test.db);
  const error = new SolidLoopError('LimitExceededError', 'turn 1 ran for too long');
  await expect(endFailedTurn(dependencies(), attempt, { ...turn, elapsedSeconds: () => 7200 }, error)).resolves.toMatchObject({
    kind: 'done',
    status: 'failed',
  });
  expect(await loopRow(test.db, turn.loopId)).toMatchObject({ error_code: 'LimitExceededError', step_count: 1, duration_generation: 7200 });
});

describe('the model of a turn', () => {
  const choosing = (model: Agent['model']): Agent => ({
    ...defineAgent({ name: 'librarian', model: { name: 'x', baseURL: 'http://x.test' }, instructions: 'x' }),
    model,
  });

  it.each<[string, Agent['model'], RegExp]>([
    ['throws', () => Promise.reject(new Error('no plan')), /no plan/],
    ['never answers', () => new Promise(() => undefined), /did not end within/],
    ['gives no model', () => ({ name: '' }), /name/],
  ])('R57: a choice that %s fails the loop with its text in the row', async (_how, model, text) => {
    const { loopId, turnNumber } = await loopInTurn(test.db);
    await expect(resolveModel(dependencies(), { loopId, turnNumber, agent: choosing(model) })).resolves.toMatchObject({ kind: 'ended' });
    const row = await loopRow(test.db, loopId);
    expect(row).toMatchObject({ status: 'failed', error_code: 'ConfigError' });
    expect(row.error_message).toMatch(text);
  });

  it('R25: an attempt of a turn that is committed fails nothing', async () => {
    const turn = await loopInTurn(test.db);
    await commitTurn(test.db, { ...turn, answer: anyAnswer({ calls: [acceptedCall('find_book')] }) });
    const late = choosing(() => Promise.reject(new Error('no plan')));
    await expect(resolveModel(dependencies(), { loopId: turn.loopId, turnNumber: 1, agent: late })).resolves.toMatchObject({
      next: { kind: 'tools' },
    });
    expect(await loopRow(test.db, turn.loopId)).toMatchObject({ status: 'running', error_code: null });
  });
});
