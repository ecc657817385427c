/** Which file does which verb. */

import { assertNever } from '../../../domain/assert-never';
import type { KeyedControlRequest } from '../../../domain/control';
import type { VerbContext, VerbOutcome } from '../verb-outcome';
import { editMessage } from './edit-message';
import { freeze } from './freeze';
import { hideMessage } from './hide-message';
import { pause } from './pause';
import { reopen } from './reopen';
import { resume } from './resume';
import { retry } from './retry';
import { setLimits } from './set-limits';
import { steer } from './steer';
import { stop } from './stop';
import { unfreeze } from './unfreeze';
import { withdrawMessage } from './withdraw-message';

export function runVerb(context: VerbContext, request: KeyedControlRequest): Promise<VerbOutcome> {
  switch (request.verb) {
    case 'pause':
      return pause(context, request);
    case 'resume':
      return resume(context, request);
    case 'steer':
      return steer(context, request);
    case 'editMessage':
      return editMessage(context, request);
    case 'withdrawMessage':
      return withdrawMessage(context, request);
    case 'stop':
      return stop(context, request);
    case 'freeze':
      return freeze(context, request);
    case 'unfreeze':
      return unfreeze(context);
    case 'reopen':
      return reopen(context, request);
    case 'retry':
      return retry(context);
    case 'setLimits':
      return setLimits(context, request);
    case 'hideMessage':
    case 'showMessage':
      return hideMessage(context, request);
    default:
      return assertNever(request);
  }
}
