import { createHash } from 'node:crypto';
import { type EventId, type LoopId, toId } from '../../../src/domain/ids';
import { LastRequest, LastRequests } from '../../../src/events/last-requests';

const loop = (value: number) => toId<LoopId>(String(value));
const hashesOf = (...messages: readonly string[]) => messages.map((message) => createHash('sha256').update(message).digest());
const requestOf = (...messages: readonly string[]) => new LastRequest({ eventId: toId<EventId>('7'), hashes: hashesOf(...messages) });

test.each([
  { next: ['a', 'b', 'c', 'd'], shared: 3 },
  { next: ['a', 'b', 'c'], shared: 3 },
  { next: ['a', 'b'], shared: 2 },
  { next: ['a', 'x', 'c'], shared: 1 },
  { next: ['b', 'a', 'c'], shared: 0 },
  { next: [], shared: 0 },
])('R43: of $next, $shared messages are those of the request before', ({ next, shared }) => {
  expect(requestOf('a', 'b', 'c').sharedLength(hashesOf(...next))).toBe(shared);
});

test('R43: what is remembered of all loops has a limit in messages, and the oldest requests go first', () => {
  const requests = new LastRequests(10);
  for (let number = 1; number <= 100; number += 1) {
    requests.set(loop(number), requestOf('a', 'b', 'c'));
    expect(requests.messages).toBeLessThanOrEqual(10);
  }
  expect([97, 98, 99, 100].filter((number) => requests.find(loop(number)) !== undefined)).toEqual([98, 99, 100]);
});

test('R43: a request takes the place of the one before it in the same loop', () => {
  const requests = new LastRequests(10);
  requests.set(loop(1), requestOf('a', 'b', 'c', 'd'));
  requests.set(loop(2), requestOf('a'));
  requests.set(loop(1), requestOf('a', 'b', 'c', 'd', 'e'));
  expect(requests.messages).toBe(6);
  requests.forget(loop(2));
  requests.forget(loop(3));
  expect(requests.messages).toBe(5);
});
