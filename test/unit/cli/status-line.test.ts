import { PLAIN } from '../../../src/cli/render/paint';
import { StatusLine } from '../../../src/cli/status-line';
import type { Clock } from '../../../src/util/clock';

const ERASE = '\r\u001b[2K';

function createLine() {
  let written = '';
  let now = 0;
  let tick: (() => void) | undefined;
  const clock: Clock = {
    monotonicMs: () => now,
    now: () => new Date(now),
    schedule: (_milliseconds, callback) => {
      tick = callback;
      return () => (tick = undefined);
    },
  };
  const line = new StatusLine({ write: (text) => void (written += text), paint: PLAIN, clock });
  const take = () => {
    const text = written;
    written = '';
    return text;
  };
  const pass = (milliseconds: number) => {
    now += milliseconds;
    tick?.();
  };
  return { line, take, pass, isTicking: () => tick !== undefined };
}

test('it is erased before other text is written, and drawn again after it', () => {
  const { line, take } = createLine();
  line.show('asking the model');
  expect(take()).toBe('asking the model');
  line.write('42\n');
  expect(take()).toBe(`${ERASE}42\n`);
  line.show('asking the model');
  expect(take()).toBe('asking the model');
});

test('it counts the time of what is waited for', () => {
  const { line, take, pass } = createLine();
  line.show('asking the model');
  pass(1_000);
  pass(11_500);
  expect(take()).toBe(`asking the model${ERASE}asking the model · 1 s${ERASE}asking the model · 12 s`);
  line.show('calling add');
  expect(take()).toBe(`${ERASE}calling add`);
});

test('it leaves no trace and no timer', () => {
  const { line, take, isTicking } = createLine();
  line.show('asking the model');
  line.show(undefined);
  expect(take()).toBe(`asking the model${ERASE}`);
  expect(isTicking()).toBe(false);
  line.close();
  expect(take()).toBe('');
});

test('nothing to write erases nothing', () => {
  const { line, take } = createLine();
  line.show('asking the model');
  line.write('');
  expect(take()).toBe('asking the model');
});
