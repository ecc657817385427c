/** What the activities are given by the composition (`app.ts`). */

import type { AgentRegistry } from '../agents/registry';
import type { SolidLoopConfig } from '../agents/define-config';
import type { Database } from '../db/database';
import type { LeaseRenewer } from '../db/leases/lease-renewer';
import type { Generation, LoopId, ToolCallId } from '../domain/ids';
import type { EngineSettings } from '../domain/settings';
import type { TemporalDriver } from '../domain/temporal-driver';
import type { EndpointClients } from '../llm/network/endpoint-clients';
import type { EventLoopWatch } from './event-loop-watch';
import type { SchemaChecks } from '../llm/parsing/schema-checks';
import type { LiveSink, LlmPorts, WireRecorder } from '../llm/ports';
import type { Loop } from '../domain/loop';
import type { EngineMetrics } from '../metrics/engine-metrics';
import type { Logger } from '../util/logger';

export interface ActivityDependencies {
  readonly db: Database;
  readonly agents: AgentRegistry;
  readonly config: SolidLoopConfig;
  readonly settings: EngineSettings;
  readonly renewer: LeaseRenewer;
  readonly temporal: TemporalDriver;
  readonly namespaceId: string;
  readonly hasSearchAttributes: boolean;
  readonly logger: Logger;
  /** Leaves the secrets out of a text. */
  readonly redact: (text: string, secrets: readonly string[]) => string;
  readonly metrics: EngineMetrics;
  readonly eventLoop: Pick<EventLoopWatch, 'enter'>;
  readonly liveSink: (of: { readonly loop: Loop; readonly generation: Generation }) => LiveSink;
  readonly wire: (of: { readonly loopId: LoopId; readonly turnNumber?: number; readonly toolCallId?: ToolCallId }) => WireRecorder;
  readonly memory: LlmPorts['memory'];
  readonly rates: NonNullable<LlmPorts['rates']>;
  readonly clients: EndpointClients;
  readonly schemas: SchemaChecks;
  /** Absent: agents have no tools of MCP servers here. */
  readonly mcpTools?: LlmPorts['mcpTools'];
}
