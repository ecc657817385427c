/** Makes a further request for the sake of an answer that is already whole: whatever happens to it, that answer stays (R48). */

import { messageOf } from '../../domain/errors';
import type { TurnAnswer } from '../../domain/turn';
import type { Asked } from './ask-model';
import type { TurnRun } from './turn-run';

/** Undefined: there is no further answer. */
export async function tryFurther(run: TurnRun, ask: () => Promise<Asked>): Promise<TurnAnswer | undefined> {
  try {
    const asked = await ask();
    if (asked.kind === 'answer') return asked.answer;
    run.ports.logger?.warn(
      { loop: run.input.loop.id, error: asked.failure.outcome.message },
      'a further request failed; the first answer stays',
    );
  } catch (error) {
    run.ports.logger?.warn({ loop: run.input.loop.id, error: messageOf(error) }, 'a further request ended early; the first answer stays');
  }
  return undefined;
}
