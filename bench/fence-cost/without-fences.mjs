// The smallest patches that leave an engine without fences: no claim of what is due, no lock, no lease, no renewal; each step writes what
// it brings in statements of their own. Only to measure what the fences cost: such an engine writes twice whatever runs twice.

const CALLS = 'globalThis.benchCalls ??= new Map()';

export const WITHOUT_FENCES = [
  {
    file: 'src/db/turns/claim-turn.ts',
    find: 'export function claimTurn(db: Database, options: ClaimTurnOptions): Promise<TurnClaim> {\n',
    replace: `export function claimTurn(db: Database, options: ClaimTurnOptions): Promise<TurnClaim> {
  if (true) return writeClaim(db as never, options, { lostAttempts: 0, lastPhase: null, isTakeover: false });\n`,
  },
  { file: 'src/db/turns/load-turn.ts', find: 'const isHeld = sql`', replace: 'const isHeld = sql`true`;\n  void sql`' },
  {
    file: 'src/db/turns/commit-turn.ts',
    find: 'export async function commitTurn(db: Database, options: AnsweredTurn): Promise<TurnCommit> {\n',
    replace: `export async function commitTurn(db: Database, options: AnsweredTurn): Promise<TurnCommit> {
  if (true) return commitHeld(db as never, options);\n`,
  },
  { file: 'src/db/tool-calls/lock-call.ts', find: '\n    for no key update of loops\n    for no key update of c`', replace: '`' },
  {
    file: 'src/db/tool-calls/claim-tool-call.ts',
    find: 'export function claimToolCall(db: Database, options: ClaimToolCallOptions): Promise<ToolCallClaim> {\n',
    replace: `export async function claimToolCall(db: Database, options: ClaimToolCallOptions): Promise<ToolCallClaim> {
  if (true) {
    const pair = await lockCall(db as never, options.callId);
    (${CALLS}).set(options.callId, pair);
    return { kind: 'claimed', claimNumber: pair.lockedCall.claimNumber, loop: pair.locked.loop, call: pair.lockedCall.call, mode: 'run', isTakeover: false };
  }\n`,
  },
  {
    file: 'src/db/tool-calls/respond-tool-call.ts',
    find: 'export function settleToolCall(db: Database, options: SettleOptions): Promise<ToolCallResponse> {\n',
    replace: `export async function settleToolCall(db: Database, options: SettleOptions): Promise<ToolCallResponse> {
  if (true) {
    const pair = (${CALLS}).get(options.callId);
    globalThis.benchCalls.delete(options.callId);
    await writeCheckpoint(db as never, pair, options);
    return respondLocked(db as never, pair, options);
  }\n`,
  },
  {
    file: 'src/activities/attempt.ts',
    find: '      lease = renewer.register({',
    replace: '      if (true) return;\n      lease = renewer.register({',
  },
];
