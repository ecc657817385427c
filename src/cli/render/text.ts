/** Text for a terminal: nothing in it can move the cursor, and long values are short. */

/** Controls but for tab and line feed, those of Latin 1, and marks that turn the direction of writing. */
const UNPRINTABLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** What a model or a tool wrote, without its escape sequences. A carriage return before a line feed goes without a mark. */
export function printable(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(UNPRINTABLE, '�');
}

/** One line of at most `limit` characters, with an ellipsis where something is missing. */
export function shorten(text: string, limit: number): string {
  const line = printable(text).replace(/\s+/g, ' ').trim();
  const characters = [...line];
  return characters.length <= limit ? line : `${characters.slice(0, Math.max(1, limit - 1)).join('')}…`;
}

export function indent(text: string, by: string): string {
  return text
    .split('\n')
    .map((line) => (line === '' ? line : by + line))
    .join('\n');
}

export const plural = (count: number, one: string, many = `${one}s`): string => `${formatNumber(count)} ${count === 1 ? one : many}`;

/** "12,345". */
export const formatNumber = (value: number): string => value.toLocaleString('en-US');

/** "$0.0042", exact as it is stored, without zeros at the end; at least two places. */
export function formatCost(amountUsd: string): string {
  const [whole = '0', fraction = ''] = amountUsd.split('.');
  return `$${whole}.${fraction.replace(/0+$/, '').padEnd(2, '0')}`;
}
