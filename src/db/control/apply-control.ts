/** One control request to one loop, under its lock: effect, answer, event and wake in one transaction (R67, R74). */

import type { ControlAnswer, KeyedControlRequest } from '../../domain/control';
import type { LoopId } from '../../domain/ids';
import { decideControl } from '../../domain/verb-table';
import type { DatabaseTransaction } from '../database';
import { notifyControl } from '../loops/notify-control';
import { type LockedLoop, lockLoop } from '../repositories/loops.repository';
import { readControlFacts } from './control-facts';
import type { ControlInput, ControlOutcome } from './control-loop';
import { findStoredAnswer, storeAnswer } from './control-requests.repository';
import { countPending } from './pending-messages';
import { readControlInput } from './read-control-input';
import { refusalText } from './refusal-text';
import { setWakeDue } from './set-wake-due';
import { refused, type VerbOutcome } from './verb-outcome';
import { runVerb } from './verbs/run-verb';

/** `request` is undefined where the input could not be read. */
export type AppliedControl = Omit<ControlOutcome, 'children'> & { readonly request: KeyedControlRequest | undefined };

/** @throws LoopNotFound */
export async function applyControl(trx: DatabaseTransaction, loopId: LoopId, input: ControlInput): Promise<AppliedControl> {
  const { key, verb, ...read } = readControlInput(input);
  const locked = await lockLoop(trx, loopId);
  const request = 'request' in read ? read.request : undefined;
  const stored = key === undefined ? undefined : await findStoredAnswer(trx, loopId, key);
  if (stored !== undefined) return { answer: stored, loop: toDriven(locked), wake: locked.wakeDueAt !== null, isRepeat: true, request };

  const outcome = 'problem' in read ? refused('InvalidInput', read.problem) : await decideAndRun(trx, locked, read.request);
  const effects = outcome.kind === 'done' ? outcome : { movesFence: false, wakes: false };
  if (effects.movesFence) await notifyControl(trx, loopId);
  if (effects.wakes) await setWakeDue(trx, loopId);
  const answer = await toAnswer(trx, locked, verb, outcome);
  await storeAnswer(trx, { loopId, key, input, answer });
  return { answer, loop: toDriven(locked), wake: effects.wakes, isRepeat: false, request };
}

async function decideAndRun(trx: DatabaseTransaction, locked: LockedLoop, request: KeyedControlRequest): Promise<VerbOutcome> {
  const facts = await readControlFacts(trx, locked);
  const decision = decideControl(request, facts);
  switch (decision.kind) {
    case 'refuse':
      return refused(decision.code, refusalText(decision.code, request.verb, locked));
    case 'unchanged':
      return { kind: 'done', verb: request.verb, effect: 'unchanged', status: locked.loop.status, movesFence: false, wakes: false };
    case 'apply':
      return runVerb({ trx, locked, facts, verb: request.verb, effect: decision.effect }, request);
  }
}

async function toAnswer(
  trx: DatabaseTransaction,
  { loop }: LockedLoop,
  verb: ControlAnswer['verb'],
  outcome: VerbOutcome,
): Promise<ControlAnswer> {
  if (outcome.kind === 'refused') return { ok: false, verb, status: loop.status, code: outcome.code, message: outcome.message };
  const { effect, status, messageId } = outcome;
  const pendingMessages = await countPending(trx, loop.id, status);
  return {
    ok: true,
    verb: outcome.verb,
    status,
    effect,
    ...(messageId === undefined ? {} : { messageId }),
    ...(pendingMessages === 0 ? {} : { pendingMessages }),
  };
}

function toDriven({ loop }: LockedLoop): ControlOutcome['loop'] {
  return { id: loop.id, workflowId: loop.workflowId, taskQueue: loop.taskQueue, agentName: loop.agentName };
}
