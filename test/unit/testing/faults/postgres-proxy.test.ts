/** Commits are found in a client's bytes, however they are cut, and each fault forwards what it says. */

import fc from 'fast-check';
import { FrontendReader } from '../../../../src/testing/faults/frontend-messages';
import { COMMIT_FAULTS, createCommitTap } from '../../../../src/testing/faults/postgres-proxy';

const startup = Buffer.concat([int(8 + 5), int(196608), Buffer.from('user\0')]);
const query = (sql: string): Buffer => message('Q', Buffer.from(`${sql}\0`));
const parse = (sql: string): Buffer => message('P', Buffer.concat([Buffer.from(`\0${sql}\0`), Buffer.alloc(2)]));

function int(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function message(type: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(type), int(4 + body.length), body]);
}

const conversation = [
  startup,
  query('begin'),
  parse('update loops set a = $1'),
  message('S', Buffer.alloc(0)),
  query('commit'),
  query('begin'),
  parse('select 1'),
  query('commit'),
];
const bytes = Buffer.concat(conversation);

/** The conversation in pieces cut anywhere. */
const pieces = fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 12 }).map((cuts) => {
  const ends = [...cuts, bytes.length].toSorted((a, b) => a - b);
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
});

describe('a client’s bytes', () => {
  it('R24: the same messages come out wherever the bytes were cut', () => {
    fc.assert(
      fc.property(pieces, (chunks) => {
        const reader = new FrontendReader();
        const read = chunks.flatMap((chunk) => reader.push(chunk)).map(({ bytes: whole }) => whole);
        expect(read).toEqual(conversation);
      }),
    );
  });

  it('R24: a commit is asked about with the statements of its own transaction', () => {
    fc.assert(
      fc.property(pieces, (chunks) => {
        const asked: string[] = [];
        const tap = createCommitTap((statements) => void asked.push(statements));
        const forwarded = Buffer.concat(chunks.map((chunk) => tap(chunk).forward));
        expect(asked).toEqual(['beginupdate loops set a = $1', 'beginselect 1']);
        expect(forwarded.equals(bytes)).toBe(true);
      }),
    );
  });

  it.each(COMMIT_FAULTS)('R24: "%s" forwards what it says', (fault) => {
    const tap = createCommitTap(() => fault);
    const before = Buffer.concat(conversation.slice(0, 4));
    const { forward, then } = tap(bytes);
    const commit = query('commit');
    const sent = { before: 0, during: Math.floor(commit.length / 2), 'answer-lost': commit.length }[fault];
    expect(forward.equals(Buffer.concat([before, commit.subarray(0, sent)]))).toBe(true);
    expect(then).toBe(fault === 'answer-lost' ? 'cut-at-answer' : 'cut');
  });
});
