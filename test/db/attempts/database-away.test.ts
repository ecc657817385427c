/** Code of users reaches the database through the engine: that it is away for a moment is no failure of theirs (R24, R46). */

import { runMessageHooks } from '../../../src/activities/run-message-hooks';
import type { ActivityDependencies } from '../../../src/activities/dependencies';
import { toolPorts } from '../../../src/activities/tool-ports';
import { AgentRegistry } from '../../../src/agents/registry';
import { defineAgent } from '../../../src/agents/define-agent';
import type { AgentHooks } from '../../../src/agents/agent';
import { createDatabase, type Database } from '../../../src/db/database';
import { getLoop } from '../../../src/db/repositories/loops.repository';
import { DEFAULT_SETTINGS } from '../../../src/domain/settings';
import { COMMIT_FAULTS, type CommitFault, type PostgresProxy, startPostgresProxy } from '../../../src/testing/faults/postgres-proxy';
import { silentLogger } from '../../../src/util/logger';
import { FakeTemporal } from '../../support/fake-temporal';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { eventRows, openTestLoop } from '../../support/loops';

const AGENT = 'librarian';

let test: TestDatabase;
let proxy: PostgresProxy;
let db: Database;
let due: CommitFault | undefined;
beforeAll(async () => {
  test = await createTestDatabase();
  proxy = await startPostgresProxy({
    databaseUrl: test.url,
    onCommit: () => {
      const fault = due;
      due = undefined;
      return fault;
    },
  });
  db = createDatabase({ connectionString: proxy.url, onIdleError: () => undefined });
});
afterAll(async () => {
  await db.destroy();
  await proxy.close();
  await test.drop();
});

function dependencies(hooks: AgentHooks = {}): { readonly deps: ActivityDependencies; readonly agent: ReturnType<typeof defineAgent> } {
  const agent = defineAgent({ name: AGENT, model: { name: 'm' }, hooks });
  const deps: Partial<ActivityDependencies> = {
    db,
    agents: new AgentRegistry([agent]),
    settings: DEFAULT_SETTINGS,
    temporal: new FakeTemporal(),
    logger: silentLogger,
    liveSink: () => ({ push: () => undefined }),
    wire: () => ({}) as never,
  };
  return { deps: deps as ActivityDependencies, agent };
}

describe.each(COMMIT_FAULTS)('a COMMIT that is lost: %s', (fault) => {
  it('R24, R53, R78: a tool starts its child loop, and once', async () => {
    const loop = await getLoop(test.db, await openTestLoop(test.db));
    const attempt = { guard: { signal: new AbortController().signal } };
    const work = { claim: { call: { id: '1', turnNumber: 1 }, loop, claimNumber: '1' }, generation: '1' };
    const { startLoop } = toolPorts(dependencies().deps, attempt as never, work as never, { isEntered: false });
    due = fault;
    const child = await startLoop({ agent: AGENT, message: 'read on', key: `child of ${loop.id}` });
    expect(due).toBeUndefined();
    const children = await test.db.selectFrom('loops').select('id').where('parent_loop_id', '=', loop.id).execute();
    expect(children).toEqual([{ id: child.loopId }]);
  });

  it('R24, R47, R74: a hook’s request is carried out, and once', async () => {
    const loop = await getLoop(test.db, await openTestLoop(test.db));
    const { deps, agent } = dependencies({
      onMessageCreated: async (_event, { control }) => {
        due ??= fault;
        await control({ verb: 'steer', message: 'and this' }, 'from-the-hook');
      },
    });
    await test.db.updateTable('messages').set({ is_hidden: false, seq: 1, turn_number: 1 }).where('loop_id', '=', loop.id).execute();
    await runMessageHooks(deps, agent, loop);
    const sent = await test.db
      .selectFrom('messages')
      .select('content')
      .where('loop_id', '=', loop.id)
      .where('key', '=', 'from-the-hook')
      .execute();
    expect(sent).toEqual([{ content: 'and this' }]);
    expect((await eventRows(test.db, loop.id)).map(({ kind }) => kind)).not.toContain('hook-failed');
  });
});
