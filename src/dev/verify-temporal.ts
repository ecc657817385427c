/** Asks a Temporal server that was given whether it can be used, and registers the search attributes that it lacks. */

import { Connection, type ConnectionOptions, isGrpcServiceError } from '@temporalio/client';
import { messageOf } from '../domain/errors';
import { DevStackError } from './dev-stack-error';
import { ensureSearchAttributes } from './search-attributes';

const CONNECT_TIMEOUT_MS = 10_000;
const GRPC_NOT_FOUND = 5;

export interface VerifyTemporalOptions {
  readonly address: string;
  readonly namespace: string;
  /** TLS, API key and what else the server wants. */
  readonly connection?: ConnectionOptions;
}

/** @throws DevStackError that names the address */
export async function verifyTemporal({ address, namespace, connection: options }: VerifyTemporalOptions): Promise<void> {
  const connection = await connect(address, options);
  try {
    await verifyNamespace(connection, namespace, address);
    await ensureSearchAttributes(connection, namespace);
  } finally {
    await connection.close();
  }
}

async function connect(address: string, options: ConnectionOptions | undefined): Promise<Connection> {
  try {
    return await Connection.connect({ ...options, address, connectTimeout: CONNECT_TIMEOUT_MS });
  } catch (error) {
    throw new DevStackError(
      `no Temporal server answers at ${address} (${messageOf(error)}): start it, correct TEMPORAL_ADDRESS, or unset it to use the development server`,
      { cause: error },
    );
  }
}

async function verifyNamespace(connection: Connection, namespace: string, address: string): Promise<void> {
  try {
    await connection.workflowService.describeNamespace({ namespace });
  } catch (error) {
    const advice =
      isGrpcServiceError(error) && Number(error.code) === GRPC_NOT_FOUND
        ? `run "temporal operator namespace create --address ${address} ${namespace}", or correct TEMPORAL_NAMESPACE`
        : 'check TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE and the credentials';
    throw new DevStackError(`the Temporal namespace "${namespace}" at ${address} cannot be used (${messageOf(error)}): ${advice}`, {
      cause: error,
    });
  }
}
