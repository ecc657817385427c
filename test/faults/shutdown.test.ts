/** A deploy under load: workers are asked to end while others take over. */

import type { JournalEntry } from '../../src/testing/script';
import { openStage } from './support/open-stage';
import { expectAllCompleted, startLoops } from './support/run-loops';

/** The turn that a request was for: its loop, and how many messages came before. */
function turnOf({ body }: JournalEntry): string {
  const { messages } = body as { readonly messages: readonly { readonly content: unknown }[] };
  return `${/loop-\d+-\w+/.exec(JSON.stringify(messages))?.[0]} with ${messages.length} messages`;
}

describe('SIGTERM under load', () => {
  it('R46, R48, R58: loses no turn, and pays for no turn twice whose answer was whole', async () => {
    const stage = await openStage({ settings: { shutdownGrace: 5 } });
    try {
      const first = await stage.startWorker();
      const quick = await startLoops(stage, 10);
      const slow = await startLoops(stage, 10, { message: 'go slow', agent: 'layered' });
      await stage.model.waitUntil((journal) => journal.length >= 15);
      const [exitCode] = await Promise.all([first.terminate(), stage.startWorker()]);
      expect(exitCode).toBe(0);
      await expectAllCompleted(stage, [...quick.loopIds, ...slow.loopIds]);
      const paid = (await stage.model.journal()).filter(({ outcome }) => outcome === 'ended').map(turnOf);
      expect(paid.filter((turn, index) => paid.indexOf(turn) !== index)).toEqual([]);
    } finally {
      await stage.close();
    }
  }, 240_000);
});
