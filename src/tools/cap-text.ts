/** Cuts a long text in its middle: head and tail stay, a note says what is missing. Never inside a character (P82). */

const HEAD_PART = 0.75;

/** What the note says to do, given the first character that was left out. */
export type ReadOnHint = (offset: number) => string;

const askForLess: ReadOnHint = () => 'Ask for less at a time to see them.';

/** At most `maxChars` UTF-16 units, the note included; `maxChars` must have room for the note (200). */
export function capText(text: string, maxChars: number, hint: ReadOnHint = askForLess): string {
  if (text.length <= maxChars) return text;
  const room = maxChars - noteFor(text.length, text.length, hint(text.length)).length;
  const head = text.slice(0, atCharacter(text, Math.floor(room * HEAD_PART)));
  const tail = text.slice(atCharacterAfter(text, text.length - (room - Math.floor(room * HEAD_PART))));
  return `${head}${noteFor(text.length - head.length - tail.length, text.length, hint(head.length))}${tail}`;
}

const noteFor = (missing: number, whole: number, hint: string): string =>
  `\n[… ${missing} of ${whole} characters are left out here. ${hint} …]\n`;

/** The index, or the one before it where it would cut a surrogate pair. */
const atCharacter = (text: string, index: number): number => (isInsidePair(text, index) ? index - 1 : index);
const atCharacterAfter = (text: string, index: number): number => (isInsidePair(text, index) ? index + 1 : index);

function isInsidePair(text: string, index: number): boolean {
  return index > 0 && isBetween(text.charCodeAt(index - 1), 0xd800, 0xdbff) && isBetween(text.charCodeAt(index), 0xdc00, 0xdfff);
}

const isBetween = (code: number, first: number, last: number): boolean => code >= first && code <= last;
