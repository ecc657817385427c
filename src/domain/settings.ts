/** Every setting of the engine with its default, in seconds unless the name says otherwise (R13 and design's defaults). */

export interface EngineSettings {
  /** Added to a client's own timeout, so that a lease outlives it (R11). @default 60 */
  readonly leaseMargin: number;
  /** Age at which an init or queued loop without a workflow is repaired (R70). @default 300 */
  readonly queuedReapThreshold: number;
  /** @default 600 */
  readonly defaultReadTimeout: number;
  /** @default 600 */
  readonly defaultToolTimeout: number;
  /** Past a registration's own limit, it is dropped as leaked (R19). @default 300 */
  readonly leaseLeakGrace: number;
  /** Default of an agent's `turnTimeoutSeconds`. @default 7200 */
  readonly defaultMaxDuration: number;
  /** Temporal's heartbeat timeout of every step. @default 30 */
  readonly heartbeatTimeout: number;
  /** @default 120 */
  readonly firstTokenTimeout: number;
  /** No content, reasoning, call or usage for so long ends an attempt. @default 120 */
  readonly progressTimeout: number;
  /** Deadline of one hook. @default 30 */
  readonly hookTimeout: number;
  /** How long a claim or commit waits for a connection. @default 10 */
  readonly poolTimeout: number;
  /** Provider failures of one turn before the loop fails (R46). @default 8 */
  readonly providerFailuresPerTurn: number;
  /** Back-off after a provider's failure without a hint, doubled up to the maximum. @default 2 */
  readonly providerBackoff: number;
  /** @default 120 */
  readonly providerBackoffMaximum: number;
  /** Longest wait that a provider's hint may ask for; over it the failure is final. @default 3600 */
  readonly providerRetryHintMaximum: number;
  /** Attempts of one turn, or of one tool call, that may end without a report (R46). @default 10 */
  readonly lostAttemptsPerStep: number;
  /** How long an agent or tool unknown to a worker is retried (R46). @default 120 */
  readonly unknownAgentPatience: number;
  /** While an unsafe call's holder was heard of within this time, nobody takes it (R75). @default 60 */
  readonly unsafeHolderPatience: number;
  /** History length at which a loop continues as new. @default 2000 */
  readonly continueAsNewEvents: number;
  /** Default of `limits.steps`. @default 100 */
  readonly steps: number;
  /** How long turns in flight may run on after SIGTERM. @default 60 */
  readonly shutdownGrace: number;
}

export const DEFAULT_SETTINGS: EngineSettings = {
  leaseMargin: 60,
  queuedReapThreshold: 300,
  defaultReadTimeout: 600,
  defaultToolTimeout: 600,
  leaseLeakGrace: 300,
  defaultMaxDuration: 7200,
  heartbeatTimeout: 30,
  firstTokenTimeout: 120,
  progressTimeout: 120,
  hookTimeout: 30,
  poolTimeout: 10,
  providerFailuresPerTurn: 8,
  providerBackoff: 2,
  providerBackoffMaximum: 120,
  providerRetryHintMaximum: 3600,
  lostAttemptsPerStep: 10,
  unknownAgentPatience: 120,
  unsafeHolderPatience: 60,
  continueAsNewEvents: 2000,
  steps: 100,
  shutdownGrace: 60,
};

export const SETTING_NAMES = Object.keys(DEFAULT_SETTINGS) as readonly (keyof EngineSettings)[];
