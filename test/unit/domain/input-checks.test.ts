/** What people and programs send is checked strictly, and never throws anything but a named error. */

import fc from 'fast-check';
import { INPUT_LIMIT_BYTES } from '../../../src/domain/agent-loop-input';
import { checkStartInput } from '../../../src/domain/check-start-input';
import { CONTROL_VERBS } from '../../../src/domain/control';
import { isSolidLoopError } from '../../../src/domain/errors';
import { MESSAGE_LIMIT_BYTES } from '../../../src/domain/input-checks';
import { parseControlRequest } from '../../../src/domain/parse-control-request';

const start = { agent: 'librarian', message: 'Find the book' };

function fieldOf(action: () => unknown): string | undefined {
  try {
    action();
  } catch (error) {
    if (isSolidLoopError(error, 'InvalidInput')) return error.field;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('a start', () => {
  it('R77: is taken as it is, absent fields stay absent', () => {
    expect(checkStartInput(start)).toEqual(start);
    const whole = {
      ...start,
      key: 'k',
      title: 't',
      subject: { type: 'book', id: '7' },
      state: { a: [1] },
      limits: { steps: 1, tokens: 2, costUsd: '0.50', durationSeconds: 3.5 },
    };
    expect(checkStartInput(whole)).toEqual(whole);
  });

  it.each([
    [null, 'the start'],
    [{ ...start, extra: 1 }, 'extra'],
    [{ ...start, agent: '' }, 'agent'],
    [{ ...start, agent: 'a/b' }, 'agent'],
    [{ ...start, message: '   ' }, 'message'],
    [{ ...start, message: 7 }, 'message'],
    [{ ...start, key: '' }, 'key'],
    [{ ...start, key: 'a\0b' }, 'key'],
    [{ ...start, title: 'x'.repeat(2_001) }, 'title'],
    [{ ...start, state: [] }, 'state'],
    [{ ...start, subject: { type: '', id: '1' } }, 'subject.type'],
    [{ ...start, limits: { cost: '1' } }, 'cost'],
    [{ ...start, limits: { costUsd: 1 } }, 'limits.costUsd'],
    [{ ...start, limits: { costUsd: '1e3' } }, 'limits.costUsd'],
    [{ ...start, limits: { tokens: 1.5 } }, 'limits.tokens'],
    [{ ...start, limits: { durationSeconds: Infinity } }, 'limits.durationSeconds'],
  ])('R77: %j is refused by the name of its field', (value, field) => {
    expect(fieldOf(() => checkStartInput(value))).toBe(field);
  });

  it('R9: over 256 kB is refused with the size where it would enter history, and taken where it would not', () => {
    const large = { ...start, message: 'ä'.repeat(INPUT_LIMIT_BYTES / 2) };
    expect(() => checkStartInput(large, { limitBytes: INPUT_LIMIT_BYTES })).toThrow(/262\d{3} bytes together.*262144/);
    expect(checkStartInput(large)).toEqual(large);
  });

  it('R62: a message of exactly 1 MB is taken, one byte more is not, counted in UTF-8', () => {
    expect(checkStartInput({ ...start, message: 'ä'.repeat(MESSAGE_LIMIT_BYTES / 2) }).message).toHaveLength(MESSAGE_LIMIT_BYTES / 2);
    expect(() => checkStartInput({ ...start, message: `a${'ä'.repeat(MESSAGE_LIMIT_BYTES / 2)}` })).toThrow(/1000001 bytes/);
  });
});

describe('a control request', () => {
  it.each(CONTROL_VERBS)('R69: %s takes its own fields, a key and who asks, and no other', (verb) => {
    const fields = {
      pause: { when: 'afterStep', reason: 'r' },
      steer: { message: 'm', interrupt: true },
      editMessage: { messageId: '7', message: 'm' },
      withdrawMessage: { messageId: '7' },
      stop: { when: 'now', reason: 'r', children: true },
      freeze: { reason: 'r', children: false },
      reopen: { message: 'm' },
      setLimits: { limits: { steps: 1 } },
      hideMessage: { messageId: '7' },
      showMessage: { messageId: '7' },
      resume: {},
      unfreeze: {},
      retry: {},
    };
    const request = { verb, key: 'k', by: 'ann', ...fields[verb] };
    expect(parseControlRequest(request)).toEqual(request);
    expect(fieldOf(() => parseControlRequest({ ...request, surprise: 1 }))).toBe('surprise');
  });

  it('R69: whatever is sent, the answer is a request or a refusal that names a field', () => {
    const verb = fc.oneof(fc.constantFrom(...CONTROL_VERBS), fc.string(), fc.anything());
    const anything = fc.oneof(
      fc.anything(),
      fc.record(
        { verb, key: fc.oneof(fc.string(), fc.anything()), message: fc.anything(), when: fc.anything(), messageId: fc.anything() },
        { requiredKeys: [] },
      ),
    );
    fc.assert(
      fc.property(anything, (value) => {
        try {
          expect(CONTROL_VERBS).toContain(parseControlRequest(value).verb);
        } catch (error) {
          if (!isSolidLoopError(error, 'InvalidInput')) throw error;
          expect(error.field).toEqual(expect.any(String));
        }
      }),
    );
  });
});
