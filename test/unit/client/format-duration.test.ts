import { formatDuration } from '../../../src/util/format-duration';

test.each([
  [-3, '0 s'],
  [0.04, '0 s'],
  [1.26, '1.3 s'],
  [12.4, '12 s'],
  [59.6, '1 min'],
  [200, '3 min 20 s'],
  [3_600, '1 h'],
  [7_500, '2 h 5 min'],
  [90_000, '1 d 1 h'],
])('%d seconds read as %s', (seconds, text) => {
  expect(formatDuration(seconds)).toBe(text);
});
