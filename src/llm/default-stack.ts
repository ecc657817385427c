/** The LLM stack as it is before anybody changes it (R30). */

import type { LlmStack } from '../agents/middleware';
import { MiddlewareStack } from '../agents/middleware-stack';
import { agentInitialization } from './middleware/agent-initialization';
import { errorHandling } from './middleware/error-handling';
import { eventLogging } from './middleware/event-logging';
import { messageBuilding } from './middleware/message-building';
import { networkCalling } from './middleware/network-calling';
import { responseParsing } from './middleware/response-parsing';
import { EndpointClients } from './network/endpoint-clients';
import { SchemaChecks } from './parsing/schema-checks';
import type { LlmPorts } from './ports';

/** Outermost first. */
export function defaultLlmStack(ports: LlmPorts): LlmStack {
  const clients = ports.clients ?? new EndpointClients();
  return new MiddlewareStack([
    { name: 'error-handling', middleware: errorHandling(ports) },
    { name: 'agent-initialization', middleware: agentInitialization(ports) },
    { name: 'message-building', middleware: messageBuilding(ports) },
    { name: 'event-logging', middleware: eventLogging(ports) },
    { name: 'network-calling', middleware: networkCalling(ports, clients) },
    { name: 'response-parsing', middleware: responseParsing(ports, ports.schemas ?? new SchemaChecks()) },
  ]);
}
