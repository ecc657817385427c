/** The verbs of control (R60-R69, R74) and the table of what each does in each status. */

import type { LoopStatus, LoopLimits } from './loop';
import type { ErrorCode } from './errors';
import type { MessageContent } from './message';

export type ControlRequest =
  | { readonly verb: 'pause'; readonly when?: 'now' | 'afterStep'; readonly reason?: string }
  /** `skipCalls`: unresolved calls are not run; each gets its one tool message that says so (R68). */
  | { readonly verb: 'resume'; readonly skipCalls?: boolean }
  | { readonly verb: 'steer'; readonly message: MessageContent; readonly interrupt?: boolean }
  | { readonly verb: 'editMessage'; readonly messageId: string; readonly message: MessageContent }
  | { readonly verb: 'withdrawMessage'; readonly messageId: string }
  | { readonly verb: 'stop'; readonly when?: 'now' | 'afterStep'; readonly reason?: string; readonly children?: boolean }
  | { readonly verb: 'freeze'; readonly reason?: string; readonly children?: boolean }
  | { readonly verb: 'unfreeze' }
  | { readonly verb: 'reopen'; readonly message: MessageContent; readonly skipCalls?: boolean }
  | { readonly verb: 'retry' }
  | { readonly verb: 'setLimits'; readonly limits: LoopLimits }
  | { readonly verb: 'hideMessage'; readonly messageId: string }
  | { readonly verb: 'showMessage'; readonly messageId: string };

export const CONTROL_VERBS = [
  'pause',
  'resume',
  'steer',
  'editMessage',
  'withdrawMessage',
  'stop',
  'freeze',
  'unfreeze',
  'reopen',
  'retry',
  'setLimits',
  'hideMessage',
  'showMessage',
] as const;
export type ControlVerb = (typeof CONTROL_VERBS)[number];

/** A request with its key (unique per loop: a repeat gets the stored answer) and who asks. */
export type KeyedControlRequest = ControlRequest & { readonly key: string; readonly by?: string };

/** What a control request answers: stored with its effect, given again to a repeat (R74). */
export type ControlAnswer =
  | {
      readonly ok: true;
      readonly verb: ControlVerb;
      readonly status: LoopStatus;
      readonly effect: ControlEffect;
      readonly messageId?: string;
      /** User messages that wait while the loop is at rest; they are delivered when it goes on (R62). Absent: none. */
      readonly pendingMessages?: number;
    }
  | {
      readonly ok: false;
      readonly verb: ControlVerb | 'unknown';
      readonly status: LoopStatus;
      readonly code: ErrorCode;
      readonly message: string;
    };

/** `unchanged`: it was so already. `deferred`: kept in `requested`, done by the transaction that ends the step. */
export type ControlEffect =
  | 'paused'
  | 'resumed'
  | 'cancelled'
  | 'frozen'
  | 'unfrozen'
  | 'reopened'
  | 'retried'
  | 'message-kept'
  | 'message-changed'
  | 'message-withdrawn'
  | 'interrupted'
  | 'limits-set'
  | 'message-hidden'
  | 'message-shown'
  | 'deferred'
  | 'unchanged';
