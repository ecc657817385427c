/** What users test their agents with (`solidloop/testing`): a scripted model, and faults. */

export { deltaAnswer, errorAnswer, rawAnswer, textAnswer, toolCallsAnswer, wholeAnswer } from './scripted-answers';
export { type ScriptedModel, startScriptedModel } from './scripted-model';
export type { JournalEntry, RequestMatch, ScriptedResponse, ScriptStep } from './script';
export { checkInvariants, type CheckOptions, type Violation } from './faults/check-invariants';
export { FaultDirector, type FaultPlace, type Hold } from './faults/fault-director';
export { type Ledger, type LedgerEntry, openLedger } from './faults/ledger';
export { type FaultStage, type FaultStageOptions, openFaultStage } from './faults/open-fault-stage';
export { POINT_FAULTS, type PointFault, type RoundCase, runFaultRound } from './faults/run-fault-round';
export type { Arrival, WorkerProcess } from './faults/start-worker-process';
export { type EndedLoop, type LoopFaultReport, type LoopFaultTest, testLoopAgainstFaults } from './faults/test-loop-against-faults';
