/** The table of control: total, and the same in the docs. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CONTROL_VERBS } from '../../../src/domain/control';
import { LOOP_STATUSES } from '../../../src/domain/loop';
import { type ControlFacts, decideControl } from '../../../src/domain/verb-table';
import { CONTROL_STATES, formatVerbTable, VERB_FORMS } from '../../../src/domain/verb-table-rows';

const stateOf = (name: string): ControlFacts => {
  const state = CONTROL_STATES.find((candidate) => candidate.name === name);
  if (state === undefined) throw new Error(`no state is named "${name}"`);
  return state.facts;
};

describe('the table of verbs', () => {
  it('has every verb and every status', () => {
    expect(new Set(VERB_FORMS.map(({ form }) => form.verb))).toEqual(new Set(CONTROL_VERBS));
    expect(new Set(CONTROL_STATES.map(({ facts }) => facts.status))).toEqual(new Set(LOOP_STATUSES));
  });

  it.each(CONTROL_STATES.filter(({ facts }) => facts.isFrozen))(
    'R64: while frozen ($name) only unfreeze, steer, stop and a second freeze are no LoopFrozen',
    ({ facts }) => {
      const open = VERB_FORMS.filter(({ form }) => JSON.stringify(decideControl(form, facts)) !== '{"kind":"refuse","code":"LoopFrozen"}');
      expect(new Set(open.map(({ form }) => form.verb))).toEqual(new Set(['unfreeze', 'steer', 'stop', 'freeze']));
    },
  );

  it.each(CONTROL_STATES)('R60, R66: $name: pause and stop after the step wait for a step in flight only', ({ facts }) => {
    const isInFlight = facts.status === 'running' && (facts.isTurnInFlight || facts.hasUnresolvedCalls);
    const later = decideControl({ verb: 'stop', when: 'afterStep' }, facts);
    const now = decideControl({ verb: 'stop' }, facts);
    expect(later).toEqual(isInFlight ? { kind: 'apply', effect: 'deferred' } : now);
  });

  it('R60: a stop after the step outranks a pause after the step, and not the other way round', () => {
    const running = stateOf('running: turn in flight');
    const stop = { verb: 'stop', when: 'afterStep' } as const;
    const pause = { verb: 'pause', when: 'afterStep' } as const;
    expect(decideControl(stop, { ...running, requested: 'pause' })).toEqual({ kind: 'apply', effect: 'deferred' });
    expect(decideControl(pause, { ...running, requested: 'stop' })).toEqual({ kind: 'unchanged' });
    expect(decideControl(stop, { ...running, requested: 'stop' })).toEqual({ kind: 'unchanged' });
  });

  it('R60: resume takes back what was to happen after the step', () => {
    const running = stateOf('running: turn in flight');
    expect(decideControl({ verb: 'resume' }, running)).toEqual({ kind: 'unchanged' });
    expect(decideControl({ verb: 'resume' }, { ...running, requested: 'pause' })).toEqual({ kind: 'apply', effect: 'resumed' });
  });

  it('R62: interrupt ends a turn in flight, and is plain steering in every other state that is not terminal', () => {
    const effects = CONTROL_STATES.map(({ name, facts }) => [name, decideControl({ verb: 'steer', interrupt: true }, facts)] as const);
    const interrupted = effects
      .filter(([, decision]) => decision.kind === 'apply' && decision.effect === 'interrupted')
      .map(([name]) => name);
    expect(interrupted).toEqual(['running: turn in flight']);
    expect(effects.filter(([, decision]) => decision.kind === 'refuse').map(([name]) => name)).toEqual([
      'completed',
      'failed',
      'failed, calls unresolved',
      'cancelled',
      'cancelled and frozen',
    ]);
  });

  it('R65: retry goes on with what failed, skips a wait, and leaves a held step alone', () => {
    const retry = (name: string) => decideControl({ verb: 'retry' }, stateOf(name));
    expect(retry('failed')).toEqual({ kind: 'apply', effect: 'retried' });
    expect(retry('queued')).toEqual({ kind: 'apply', effect: 'retried' });
    expect(retry('running: tools waiting')).toEqual({ kind: 'apply', effect: 'retried' });
    expect(retry('running: turn in flight')).toEqual({ kind: 'unchanged' });
    expect(retry('running: tools in flight')).toEqual({ kind: 'unchanged' });
    expect(retry('completed')).toEqual({ kind: 'refuse', code: 'NothingToRetry' });
  });

  it('is the one that the docs show', () => {
    const path = join(__dirname, '../../../docs/control-verbs.md');
    const page = readFileSync(path, 'utf8');
    const [before, after] = page.split(/(?<=<!-- table -->\n)[\s\S]*(?=<!-- end of table -->)/);
    const generated = `${before}\n${formatVerbTable()}\n\n${after}`;
    if (process.env.UPDATE_DOCS === '1') writeFileSync(path, generated);
    expect(page).toBe(generated);
  });
});
