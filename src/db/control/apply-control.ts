/** One control request to one loop, under its lock: effect, answer, event and wake in one transaction (R67, R74). */

import type { ControlAnswer, ControlVerb, KeyedControlRequest } from '../../domain/control';
import { isSolidLoopError } from '../../domain/errors';
import type { LoopId } from '../../domain/ids';
import { checkKey } from '../../domain/input-checks';
import { parseControlRequest, parseVerb } from '../../domain/parse-control-request';
import { decideControl } from '../../domain/verb-table';
import type { DatabaseTransaction } from '../database';
import { notifyControl } from '../notify-control';
import { type LockedLoop, lockLoop } from '../repositories/loops.repository';
import { findStoredAnswer, storeAnswer } from './control-requests.repository';
import type { ControlInput, ControlOutcome } from './control-loop';
import { readControlFacts } from './control-facts';
import { countPending } from './pending-messages';
import { refusalText } from './refusal-text';
import { setWakeDue } from './set-wake-due';
import { refused, type VerbOutcome } from './verb-outcome';
import { runVerb } from './verbs/run-verb';

/** `request` is set where the input could be read. */
export type AppliedControl = Omit<ControlOutcome, 'children'> & { readonly request: KeyedControlRequest | undefined };

/** @throws LoopNotFound; InvalidInput where the verb is none */
export async function applyControl(trx: DatabaseTransaction, loopId: LoopId, input: ControlInput): Promise<AppliedControl> {
  const verb = parseVerb(input);
  const locked = await lockLoop(trx, loopId);
  const key = readKey(input);
  const parsed = parse(input);
  const request = 'kind' in parsed ? undefined : parsed;
  const stored = key === undefined ? undefined : await findStoredAnswer(trx, loopId, key);
  if (stored !== undefined) return { ...toOutcome(locked, stored), wake: locked.wakeDueAt !== null, isRepeat: true, request };

  const outcome = 'kind' in parsed ? parsed : await decideAndRun(trx, locked, parsed);
  const answer = await toAnswer(trx, locked, verb, outcome);
  const wake = outcome.kind === 'done' && outcome.wakes;
  if (outcome.kind === 'done' && outcome.movesFence) await notifyControl(trx, loopId);
  if (wake) await setWakeDue(trx, loopId);
  await storeAnswer(trx, { loopId, key, input, answer });
  return { ...toOutcome(locked, answer), wake, isRepeat: false, request };
}

async function decideAndRun(trx: DatabaseTransaction, locked: LockedLoop, request: KeyedControlRequest): Promise<VerbOutcome> {
  const facts = await readControlFacts(trx, locked);
  const decision = decideControl(request, facts);
  switch (decision.kind) {
    case 'refuse':
      return refused(decision.code, refusalText(decision.code, request.verb, locked));
    case 'unchanged':
      return { kind: 'done', effect: 'unchanged', status: locked.loop.status, movesFence: false, wakes: false };
    case 'apply':
      return runVerb({ trx, locked, facts, effect: decision.effect }, request);
  }
}

async function toAnswer(trx: DatabaseTransaction, locked: LockedLoop, verb: ControlVerb, outcome: VerbOutcome): Promise<ControlAnswer> {
  if (outcome.kind === 'refused') return { ok: false, verb, status: locked.loop.status, code: outcome.code, message: outcome.message };
  const { effect, status, messageId } = outcome;
  const pendingMessages = await countPending(trx, locked.loop.id, status);
  return {
    ok: true,
    verb,
    status,
    effect,
    ...(messageId === undefined ? {} : { messageId }),
    ...(pendingMessages === 0 ? {} : { pendingMessages }),
  };
}

/** A key that is none cannot be stored: its refusal is an event only. */
function readKey(input: ControlInput): string | undefined {
  try {
    return checkKey(input.key);
  } catch (error) {
    if (isSolidLoopError(error, 'InvalidInput')) return undefined;
    throw error;
  }
}

function parse(input: ControlInput): KeyedControlRequest | VerbOutcome {
  try {
    return parseControlRequest(input);
  } catch (error) {
    if (isSolidLoopError(error, 'InvalidInput')) return refused('InvalidInput', error.message);
    throw error;
  }
}

function toOutcome({ loop }: LockedLoop, answer: ControlAnswer): Pick<ControlOutcome, 'answer' | 'loop'> {
  return { answer, loop: { id: loop.id, workflowId: loop.workflowId, taskQueue: loop.taskQueue, agentName: loop.agentName } };
}
