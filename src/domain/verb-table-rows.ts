/** The table of control as rows and columns, and as the page that people read. */

import { CONTROL_VERBS } from './control';
import { type ControlDecision, type ControlFacts, decideControl, type VerbForm } from './verb-table';

export interface ControlState {
  readonly name: string;
  readonly facts: ControlFacts;
}

const AT_REST: ControlFacts = {
  status: 'queued',
  isFrozen: false,
  isTurnInFlight: false,
  hasUnresolvedCalls: false,
  isStepHeld: false,
  requested: null,
};

/** Every state of a loop that a verb can meet. */
export const CONTROL_STATES: readonly ControlState[] = [
  { name: 'init', facts: { ...AT_REST, status: 'init' } },
  { name: 'queued', facts: AT_REST },
  { name: 'running: turn in flight', facts: { ...AT_REST, status: 'running', isTurnInFlight: true, isStepHeld: true } },
  { name: 'running: turn due', facts: { ...AT_REST, status: 'running' } },
  { name: 'running: tools in flight', facts: { ...AT_REST, status: 'running', hasUnresolvedCalls: true, isStepHeld: true } },
  { name: 'running: tools waiting', facts: { ...AT_REST, status: 'running', hasUnresolvedCalls: true } },
  { name: 'paused', facts: { ...AT_REST, status: 'paused' } },
  { name: 'paused, calls unresolved', facts: { ...AT_REST, status: 'paused', hasUnresolvedCalls: true } },
  { name: 'paused and frozen', facts: { ...AT_REST, status: 'paused', isFrozen: true } },
  { name: 'completed', facts: { ...AT_REST, status: 'completed' } },
  { name: 'failed', facts: { ...AT_REST, status: 'failed' } },
  { name: 'failed, calls unresolved', facts: { ...AT_REST, status: 'failed', hasUnresolvedCalls: true } },
  { name: 'cancelled', facts: { ...AT_REST, status: 'cancelled' } },
  { name: 'cancelled and frozen', facts: { ...AT_REST, status: 'cancelled', isFrozen: true } },
];

export interface NamedForm {
  readonly name: string;
  readonly form: VerbForm;
}

/** Each verb, in each form that decides differently. */
export const VERB_FORMS: readonly NamedForm[] = CONTROL_VERBS.flatMap((verb): readonly NamedForm[] => {
  switch (verb) {
    case 'pause':
    case 'stop':
      return [
        { name: verb, form: { verb } },
        { name: `${verb}, after the step`, form: { verb, when: 'afterStep' } },
      ];
    case 'steer':
      return [
        { name: verb, form: { verb } },
        { name: `${verb}, interrupting`, form: { verb, interrupt: true } },
      ];
    default:
      return [{ name: verb, form: { verb } }];
  }
});

/** A markdown table: a row a verb, a column a state. */
export function formatVerbTable(): string {
  const header = ['| verb |', ...CONTROL_STATES.map(({ name }) => ` ${name} |`)].join('');
  const rule = ['| --- |', ...CONTROL_STATES.map(() => ' --- |')].join('');
  const rows = VERB_FORMS.map(({ name, form }) =>
    [`| ${name} |`, ...CONTROL_STATES.map(({ facts }) => ` ${formatDecision(decideControl(form, facts))} |`)].join(''),
  );
  return [header, rule, ...rows].join('\n');
}

function formatDecision(decision: ControlDecision): string {
  switch (decision.kind) {
    case 'apply':
      return decision.effect;
    case 'unchanged':
      return 'unchanged';
    case 'refuse':
      return `\`${decision.code}\``;
  }
}
