/** Which errors say that the database could not answer now, so that the same statement may succeed later (R24, R46). */

import { types } from 'node:util';

/**
 * Classes of SQLSTATE: connection, authorization (a password was changed), database name (one is being restored), resources, operator
 * intervention (a statement's time-out too), system, internal error.
 */
const UNAVAILABLE_CLASSES = ['08', '28', '3D', '53', '57', '58', 'XX'];

/** A table, column, schema or right is not there: a migration is on its way, or another version's has run. */
const SCHEMA_CLASSES = ['42', '3F'];

/** Lock not got in time, deadlock, serialisation, read-only (a fail-over), idle or whole transaction too long. */
const UNAVAILABLE_STATES = ['55P03', '40P01', '40001', '25006', '25P03', '25P04'];

const UNAVAILABLE_SYSTEM_CODES = [
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
];

/** What the driver and its pool say without a code. */
const UNAVAILABLE_MESSAGES = [
  'connection terminated',
  'timeout exceeded when trying to connect',
  'client has encountered a connection error',
  'client was closed',
  'query read timeout',
  'cannot use a pool after calling end',
  'driver has already been destroyed',
  // A migration ran under a prepared statement; the connection is thrown away, the next one plans anew.
  'cached plan must not change result type',
];

/** False for what the database decided: a constraint, a value, a missing table. Looks at causes and collected errors too. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!isError(error)) return false;
  if (hasUnavailableCode(error) || hasUnavailableMessage(error)) return true;
  if ('errors' in error && Array.isArray(error.errors) && error.errors.some(isDatabaseUnavailable)) return true;
  return error.cause !== undefined && isDatabaseUnavailable(error.cause);
}

/** The statement does not fit the tables as they are now. */
export const isSchemaFault = (error: unknown): boolean => isError(error) && SCHEMA_CLASSES.includes(classOf(error));

/** Errors of sockets may come from another realm, where `instanceof` does not hold. */
const isError = (value: unknown): value is Error => value instanceof Error || types.isNativeError(value);

function hasUnavailableCode(error: Error): boolean {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (UNAVAILABLE_SYSTEM_CODES.includes(code) || UNAVAILABLE_STATES.includes(code)) return true;
  return UNAVAILABLE_CLASSES.includes(classOf(error));
}

/** Of a SQLSTATE; empty for other codes. */
function classOf(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return code.length === 5 ? code.slice(0, 2) : '';
}

function hasUnavailableMessage(error: Error): boolean {
  const message = error.message.toLowerCase();
  return UNAVAILABLE_MESSAGES.some((part) => message.includes(part));
}
