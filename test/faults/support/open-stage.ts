/** A fault stage of our own: a database, a scripted model that always has an answer, a ledger, and the check of all invariants. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LoopStatus } from '../../../src/domain/loop';
import type { ScriptedResponse } from '../../../src/testing/script';
import { textAnswer, toolCallsAnswer } from '../../../src/testing/scripted-answers';
import { type ScriptedModel, startScriptedModel } from '../../../src/testing/scripted-model';
import { checkInvariants, type Violation } from '../../../src/testing/faults/check-invariants';
import { type Ledger, openLedger } from '../../../src/testing/faults/ledger';
import { type FaultStage, type FaultStageOptions, openFaultStage } from '../../../src/testing/faults/open-fault-stage';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { temporalAddress } from '../../support/workflows';
import { endsPathOf } from './fault-config';

export interface OwnStage extends FaultStage {
  readonly database: TestDatabase;
  readonly model: ScriptedModel;
  readonly ledger: Ledger;
  /** Ends of loops that were told. */
  readonly ends: Ledger;
  /** All invariants, with the ledger and the model's journal. */
  readonly violations: (ends?: readonly LoopStatus[]) => Promise<readonly Violation[]>;
}

export interface OwnStageOptions extends Pick<FaultStageOptions, 'settings' | 'onCommit' | 'temporalAddress'> {
  /** Come before the answers that the model always has. */
  readonly script?: readonly ScriptedResponse[];
}

/** A turn that is asked by a user calls each tool; one that sees results says that it is done. `slow` in the transcript: after 2 s. */
export const WHOLE_ANSWERS = ['All is done.', 'All is done, as far as I know.'] as const;
export const STANDING_SCRIPT: readonly ScriptedResponse[] = [
  { ...textAnswer(WHOLE_ANSWERS[0]), match: { lastMessageContains: 'tool-result' }, times: 'always' },
  { ...textAnswer(WHOLE_ANSWERS[1]), match: { lastMessageContains: 'unknown' }, times: 'always' },
  delayed({ ...callsEveryTool(), match: { bodyContains: 'slow' }, times: 'always' }, 2000),
  { ...callsEveryTool(), times: 'always' },
];

function callsEveryTool(): ScriptedResponse {
  return toolCallsAnswer([
    { id: 'c1', name: 'read_shelf', arguments: { item: 'a' } },
    { id: 'c2', name: 'set_label', arguments: { item: 'b' } },
    { id: 'c3', name: 'send_letter', arguments: { item: 'c' } },
  ]);
}

function delayed(response: ScriptedResponse, milliseconds: number): ScriptedResponse {
  return { ...response, steps: [{ kind: 'delay', milliseconds }, ...response.steps] };
}

export async function openStage({ script = [], ...options }: Partial<OwnStageOptions> = {}): Promise<OwnStage> {
  const folder = mkdtempSync(join(tmpdir(), 'solidloop-faults-'));
  const [database, model] = await Promise.all([createTestDatabase({ onIdleError: () => undefined }), startScriptedModel()]);
  await model.push(...script, ...STANDING_SCRIPT);
  const ledgerPath = join(folder, 'ledger.jsonl');
  const ledger = openLedger(ledgerPath);
  const bundle = process.env.SOLIDLOOP_TEST_BUNDLE;
  const stage = await openFaultStage({
    configModule: require.resolve('./fault-config'),
    configArguments: { modelUrl: model.baseURL, ledgerPath },
    databaseUrl: database.url,
    temporalAddress: temporalAddress(),
    ...(bundle === undefined ? {} : { workflowBundle: bundle }),
    ...options,
  });
  return {
    ...stage,
    database,
    model,
    ledger,
    ends: openLedger(endsPathOf(ledgerPath)),
    violations: async (ends) =>
      checkInvariants({
        databaseUrl: database.url,
        ledger,
        requests: (await model.journal()).map(({ body }) => body),
        ...(ends === undefined ? {} : { ends }),
      }),
    close: async () => {
      await stage.close();
      await model.stop();
      await database.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
