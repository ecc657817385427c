/** Which errors of the database may pass. */

import { isDatabaseUnavailable } from '../../../src/db/postgres/is-database-unavailable';

const withCode = (code: string): Error => Object.assign(new Error(`code ${code}`), { code });

const PASSING = [
  ...['28P01', '3D000', 'XX000', '08000', '08003', '08006', '08P01', '53300', '53100', '57014', '57P01', '57P02', '57P03', '58030'],
  ...['55P03', '40P01', '40001', '25006', '25P03', '25P04'],
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ECONNABORTED'],
];
const DECIDED = ['23505', '23503', '23514', '22P02', '22003', '42P01', '42601', '42501', 'ENOENT', 'ERR_INVALID_ARG_TYPE', ''];

it.each(PASSING)('R24, R46: %s may pass', (code) => expect(isDatabaseUnavailable(withCode(code))).toBe(true));
it.each(DECIDED)('R24, R46: "%s" is decided', (code) => expect(isDatabaseUnavailable(withCode(code))).toBe(false));

it.each([
  'Connection terminated unexpectedly',
  'Connection terminated due to connection timeout',
  'timeout exceeded when trying to connect',
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
  'Query read timeout',
  'Cannot use a pool after calling end on the pool',
  'driver has already been destroyed',
  'cached plan must not change result type',
])('R24: the driver’s "%s" may pass', (message) => expect(isDatabaseUnavailable(new Error(message))).toBe(true));

it('R24: a cause, and one of several errors, count as well', () => {
  expect(isDatabaseUnavailable(new Error('outer', { cause: withCode('57P01') }))).toBe(true);
  expect(isDatabaseUnavailable(new AggregateError([new Error('x'), withCode('ECONNREFUSED')]))).toBe(true);
  expect(isDatabaseUnavailable(new Error('outer', { cause: withCode('23505') }))).toBe(false);
});

it.each([undefined, null, 'ECONNREFUSED', { code: '57P01' }])('R24: %p is no error', (value) =>
  expect(isDatabaseUnavailable(value)).toBe(false),
);
