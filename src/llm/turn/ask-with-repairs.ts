/** Asks, and after a refusal that names its reason once more with what was learnt (P46, P86, P88, P107). */

import { tokensStamp } from '../context/context-view';
import { transcriptNote } from '../context/transcript-note';
import type { TurnAnswer } from '../../domain/turn';
import { endpointOf } from '../families/provider-family';
import { classifyForTurn } from '../middleware/error-handling';
import { findRepair, type Repair } from '../request/find-repair';
import { askModel, type Asked } from './ask-model';
import { countTokens, takeRatePlace } from './take-rate-place';
import type { TurnRun } from './turn-run';

/** Each kind of repair is made once: a second refusal for the same reason is final. */
export async function askWithRepairs(run: TurnRun): Promise<Asked> {
  const made = new Set<string>();
  let { transcript } = run;
  for (;;) {
    await takeRatePlace(run.model, run.ports);
    const asked = await askModel({ ...run, transcript });
    if (asked.kind === 'answer') return counted(asked.answer, run);
    const repair = repairOf(asked, run);
    if (repair === undefined || made.has(repair.kind)) return asked;
    made.add(repair.kind);
    run.ports.logger?.warn(
      { loop: run.input.loop.id, model: run.model.name, repair: repair.kind },
      'the provider refused the request; it is sent once more, changed',
    );
    if (repair.facts !== undefined) run.ports.memory.learn(endpointOf(run.model), repair.facts);
    if (repair.note !== undefined)
      transcript = [...transcript, transcriptNote({ loopId: run.input.loop.id, role: 'user', content: repair.note })];
  }
}

async function counted(answer: TurnAnswer, { model, ports }: TurnRun): Promise<Asked> {
  const { total } = answer.usage;
  await countTokens(model, total, ports);
  return { kind: 'answer', answer: { ...answer, metadata: { ...answer.metadata, ...tokensStamp(total) } } };
}

function repairOf(asked: Extract<Asked, { kind: 'failure' }>, { ports }: TurnRun): Repair | undefined {
  const classified = classifyForTurn(asked.failure.error, ports);
  const isPlainRefusal = classified?.kind === 'final' && classified.reason === undefined;
  return isPlainRefusal ? findRepair(asked.failure.error, asked.request) : undefined;
}
