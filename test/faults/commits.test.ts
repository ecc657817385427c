/** COMMIT cut off before it arrives, in its middle, and after it was done but before its answer: at each transaction of a worker. */

import { Client as TemporalClient, Connection } from '@temporalio/client';
import { COMMIT_FAULTS, type CommitFault } from '../../src/testing/faults/postgres-proxy';
import { waitUntil } from '../support/wait-until';
import { temporalAddress } from '../support/workflows';
import { openStage, type OwnStage } from './support/open-stage';
import { expectAllCompleted } from './support/run-loops';

/** What tells a transaction by its statements. */
const TRANSACTIONS: Readonly<Record<string, (statements: string) => boolean>> = {
  'open the loop': (statements) => statements.includes('namespace_id = $'),
  'claim a turn': (statements) => statements.includes('old_shells'),
  'commit a turn': (statements) => statements.includes('filled_shell'),
  'claim a call': (statements) => statements.includes('started_claim = case'),
  'checkpoint alone': (statements) => isCheckpoint(statements) && !isResponse(statements),
  'respond alone': (statements) => isResponse(statements) && !isCheckpoint(statements),
  'checkpoint and respond': (statements) => isResponse(statements) && isCheckpoint(statements),
  'control by a signal': (statements) => statements.includes('control_requests'),
};
const isCheckpoint = (statements: string): boolean => statements.includes('executed_at = clock_timestamp()');
const isResponse = (statements: string): boolean => statements.includes('open_calls');

interface Stroke {
  readonly transaction: string;
  readonly fault: CommitFault;
}

/** Each stroke strikes once: the first transaction of its kind that comes when it is due. */
function takeStrokes(): { readonly left: Stroke[]; readonly onCommit: (statements: string) => CommitFault | undefined } {
  const left: Stroke[] = Object.keys(TRANSACTIONS).flatMap((transaction) => COMMIT_FAULTS.map((fault) => ({ transaction, fault })));
  const onCommit = (statements: string): CommitFault | undefined => {
    const index = left.findIndex(({ transaction }) => TRANSACTIONS[transaction]?.(statements));
    return index < 0 ? undefined : left.splice(index, 1)[0]?.fault;
  };
  return { left, onCommit };
}

async function steerBySignal(stage: OwnStage, temporal: TemporalClient): Promise<string> {
  const { loopId, workflowId } = await stage.client.start({ agent: 'worker', message: 'go slow' });
  await waitUntil('the turn in flight', async () => (await stage.client.get(loopId)).status === 'running');
  await temporal.workflow.getHandle(workflowId).signal('steer', { message: 'and another', key: 'the-one-key' });
  return loopId;
}

describe('R24: the connection to Postgres is lost at a COMMIT', () => {
  it('R10, R24, R37, R54, R55, R74: whichever transaction it was, and whether it was done or not, nothing is lost and nothing is done twice', async () => {
    const { left, onCommit } = takeStrokes();
    const stage = await openStage({ onCommit });
    const temporal = new TemporalClient({ connection: await Connection.connect({ address: temporalAddress() }) });
    try {
      await stage.startWorker();
      const agents = ['worker', 'worker', 'layered', 'layered', 'layered'];
      const started = await Promise.all(agents.map((agent) => stage.client.start({ agent, message: 'go' })));
      const steered = await steerBySignal(stage, temporal);
      await expectAllCompleted(stage, [...started.map(({ loopId }) => loopId), steered]);
      expect(left).toEqual([]);
    } finally {
      await temporal.connection.close();
      await stage.close();
    }
  }, 240_000);
});
