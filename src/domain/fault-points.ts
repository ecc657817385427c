/** Every place of a step at which its process may die, hang or be cut off: a new `await` in a step needs a new name here. */

export const FAULT_POINTS = [
  'turn:before-claim',
  'turn:after-claim',
  'turn:after-load',
  'turn:in-call',
  'turn:before-commit',
  'turn:after-commit',
  'turn:after-hooks',
  'call:before-claim',
  'call:after-claim',
  'call:before-body',
  'call:after-body',
  'call:after-checkpoint',
  'call:before-respond',
  'call:after-respond',
  'call:after-hooks',
  'open:before',
  'open:after',
  'next:before',
  'next:after',
  'control:before',
  'control:after',
  'close:before',
  'close:after',
] as const;
export type FaultPoint = (typeof FAULT_POINTS)[number];
