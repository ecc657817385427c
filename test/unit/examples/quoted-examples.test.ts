/** What the documents show is what the compiler and the tests have seen: each block of code is a part of the example that it names. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '..', '..', '..');
const DOCUMENTS = ['README.md', 'docs/agents.md', 'docs/models.md', 'docs/testing.md'];

interface Quote {
  readonly document: string;
  readonly file: string;
  readonly text: string;
}

function quotesOf(document: string): readonly Quote[] {
  const blocks = [...readFileSync(join(root, document), 'utf8').matchAll(/^```(?:ts|typescript)\n(.*?)^```/gms)].map(
    ([, body = '']) => body,
  );
  return blocks.map((body) => {
    const [first = '', ...rest] = body.split('\n');
    return { document, file: /^\/\/ ((?:examples\/|solidloop\.config).*\.ts)$/.exec(first)?.[1] ?? '', text: rest.join('\n') };
  });
}

/** Without indentation; the package by its name. */
const normalised = (text: string): string =>
  text
    .replaceAll(/'(?:\.\.?\/)+src\/index'/g, "'solidloop'")
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');

/** `// …` stands for what a document leaves out. */
const piecesOf = (text: string): readonly string[] =>
  text
    .split(/^\s*\/\/ …\s*$/m)
    .map(normalised)
    .filter((piece) => piece !== '');

describe('the code in documents', () => {
  const quotes = DOCUMENTS.flatMap(quotesOf);

  it('is there', () => {
    expect(quotes.length).toBeGreaterThan(5);
  });

  it.each(quotes)('$document quotes $file as it is', ({ file, text }) => {
    expect(file).not.toBe('');
    const source = normalised(readFileSync(join(root, file), 'utf8'));
    for (const piece of piecesOf(text)) expect(source).toContain(piece);
  });
});
