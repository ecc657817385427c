// The fences of the protocol, and for each the smallest patch that removes it. Each `find` stands once in its file.

/** A reading without the lock, put beside the one with it. */
const PEEK_LOOP = {
  file: 'src/db/repositories/loops.repository.ts',
  find: 'export function loopNotFound(',
  replace: `export async function peekLoop(trx: DatabaseTransaction, loopId: LoopId): Promise<LockedLoop> {
  const { rows } = await sql<LockedLoopRow>\`select \${LOCKED_LOOP_COLUMNS} from solid_loop.loops where loops.id = \${loopId}\`.execute(trx);
  if (rows[0] === undefined) throw loopNotFound(loopId);
  return toLockedLoop(rows[0]);
}

export function loopNotFound(`,
};

export const FENCES = [
  {
    id: 'generation check',
    rules: 'R4',
    edits: [{ file: 'src/db/turns/turn-fence.ts', find: ' && facts.generation === generation', replace: '' }],
    tests: ['test/db/stale-attempts.test.ts'],
  },
  {
    id: 'claim number',
    rules: 'R21',
    edits: [{ file: 'src/db/tool-calls/tool-call-fence.ts', find: ' && lockedCall.claimNumber === held.claimNumber', replace: '' }],
    tests: ['test/db/stale-attempts.test.ts', 'test/db/races.test.ts'],
  },
  {
    id: 'claim number at the checkpoint',
    rules: 'R54',
    edits: [
      { file: 'src/db/tool-calls/tool-call-fence.ts', find: 'return claimNumber === mine || ', replace: 'return claimNumber !== null || ' },
    ],
    tests: ['test/db/stale-attempts.test.ts', 'test/db/end-tool-call.test.ts'],
  },
  {
    id: 'takeover order on the loop',
    rules: 'R26',
    edits: [
      {
        file: 'src/db/turns/claim-turn.ts',
        find: 'if (attemptScheduledMs < locked.attemptScheduledMs)',
        replace: 'if (attemptScheduledMs < 0)',
      },
    ],
    tests: ['test/db/claim-turn.test.ts', 'test/db/races.test.ts'],
  },
  {
    id: 'takeover order on the call',
    rules: 'R26',
    edits: [
      {
        file: 'src/db/tool-calls/claim-tool-call.ts',
        find: 'if (options.attemptScheduledMs < attemptScheduledMs)',
        replace: 'if (options.attemptScheduledMs < 0)',
      },
    ],
    tests: ['test/db/claim-tool-call.test.ts', 'test/db/races.test.ts'],
  },
  {
    id: 'row lock at commit',
    rules: 'R4, R23',
    removal: 'the commit of a turn reads the loop without its lock',
    edits: [
      PEEK_LOOP,
      {
        file: 'src/db/turns/commit-turn.ts',
        find: "import { type LockedLoop, lockLoop } from '../repositories/loops.repository';",
        replace: "import { type LockedLoop, lockLoop, peekLoop } from '../repositories/loops.repository';",
      },
      {
        file: 'src/db/turns/commit-turn.ts',
        find: "      const locked = await lockLoop(trx, options.loopId);\n      if (!holdsTurn(locked, options)) return { kind: 'answered'",
        replace:
          "      const locked = await peekLoop(trx, options.loopId);\n      if (!holdsTurn(locked, options)) return { kind: 'answered'",
      },
    ],
    tests: ['test/db/races.test.ts'],
  },
  {
    id: 'row lock at tool claim',
    rules: 'R21, R23',
    removal: 'a call reads its loop without the lock',
    edits: [{ file: 'src/db/tool-calls/lock-call.ts', find: '    for no key update of loops\n', replace: '' }],
    tests: ['test/db/races.test.ts'],
  },
  {
    id: 'row lock at steer',
    rules: 'R62, R63',
    removal: 'a control request reads the loop without its lock',
    edits: [
      PEEK_LOOP,
      {
        file: 'src/db/control/apply-control.ts',
        find: "lockLoop } from '../repositories/loops.repository'",
        replace: "peekLoop } from '../repositories/loops.repository'",
      },
      {
        file: 'src/db/control/apply-control.ts',
        find: 'const locked = await lockLoop(trx, loopId);',
        replace: 'const locked = await peekLoop(trx, loopId);',
      },
    ],
    tests: ['test/db/control/steer-race.test.ts'],
  },
  {
    id: 'started_at',
    rules: 'R75',
    edits: [
      {
        file: 'src/db/tool-calls/claim-tool-call.ts',
        find: "const starts = mode === 'run';",
        replace: "const starts = String(mode) === 'never';",
      },
    ],
    tests: ['test/db/claim-tool-call.test.ts'],
  },
  {
    id: 'second look of an error path: the turn',
    rules: 'R24',
    edits: [
      {
        file: 'src/db/turns/end-turn.ts',
        find: "if (!holdsTurn(locked, options)) return { kind: 'answered', ...(await answerNextStep(trx, locked)) };",
        replace: '',
      },
    ],
    tests: ['test/db/end-turn.test.ts', 'test/db/stale-attempts.test.ts'],
  },
  {
    id: 'second look of an error path: the call',
    rules: 'R24, R57',
    edits: [
      {
        file: 'src/db/tool-calls/fail-tool-call.ts',
        find: "if (pair.lockedCall.isAnswered) return { kind: 'answered', ...(await answerNextStep(trx, pair.locked)) };",
        replace: '',
      },
    ],
    tests: ['test/db/end-tool-call.test.ts'],
  },
  {
    id: 'no turn over unresolved calls',
    rules: 'R25',
    edits: [
      {
        file: 'src/domain/next-step.ts',
        find: "case 'running':\n      if (unresolved.length === 0) return",
        replace: "case 'running':\n      return",
      },
    ],
    tests: ['test/db/claim-turn.test.ts'],
  },
  {
    id: 'look at pending messages at the last answer',
    rules: 'R38, R63',
    edits: [{ file: 'src/db/turns/commit-turn.ts', find: ' && !hasPending', replace: '' }],
    tests: ['test/db/commit-turn.test.ts', 'test/db/races.test.ts'],
  },
  {
    id: 'control key',
    rules: 'R74',
    edits: [
      {
        file: 'src/db/control/apply-control.ts',
        find: 'key === undefined ? undefined : await findStoredAnswer(trx, loopId, key)',
        replace: 'key === undefined ? await findStoredAnswer(trx, loopId, loopId) : undefined',
      },
    ],
    tests: ['test/db/control/control-loop.test.ts'],
  },
  {
    id: 'message key',
    rules: 'R62',
    edits: [
      { file: 'src/db/control/insert-user-message.ts', find: 'key: message.key,', replace: 'key: `${message.key} ${Math.random()}`,' },
    ],
    tests: ['test/db/control/message-key.test.ts'],
  },
  {
    id: 'wake count',
    rules: 'R67',
    edits: [{ file: 'src/workflows/loop-run.ts', find: 'return this.#wakes === answer.wakes;', replace: 'return answer.wakes >= 0;' }],
    tests: ['test/workflows/agent-loop.test.ts'],
    match: 'R67',
  },
  {
    id: 'wake count of a step’s answer',
    rules: 'R67',
    edits: [{ file: 'src/workflows/run-step.ts', find: 'work.outcome, wakes);', replace: 'work.outcome, seen);' }],
    tests: ['test/workflows/agent-loop.test.ts'],
    match: 'R67',
  },
  {
    id: 'lease not null in a renewal',
    rules: 'R15',
    edits: [
      {
        file: 'src/db/leases/lease-statements.ts',
        find: " and loops.status = 'running' and loops.lease_expires_at is not null",
        replace: " and loops.status = 'running'",
      },
    ],
    tests: ['test/db/renewer/lease-renewer.test.ts'],
  },
  {
    id: 'LostLease is retryable',
    rules: 'R28, R46',
    edits: [{ file: 'src/activities/failures.ts', find: 'LostLease: retryable(', replace: 'LostLease: final(' }],
    tests: ['test/unit/activities'],
  },
];
