// Records a command in a real terminal and draws what it showed as docs/images/terminal.svg: node scripts/record-terminal.mjs "npm start --silent -- …"
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';

const command = process.argv[2] ?? 'npm start --silent -- "What is 17 plus 25?"';
const COLUMNS = 110;
const COLOURS = {
  30: '#6e7681',
  31: '#ff7b72',
  32: '#7ee787',
  33: '#e3b341',
  34: '#79c0ff',
  35: '#d2a8ff',
  36: '#76e3ea',
  37: '#c9d1d9',
  90: '#8b949e',
};
const CHARACTER_WIDTH = 8.4;
const LINE_HEIGHT = 20;

const recorded = execFileSync('script', ['-qec', `stty cols ${COLUMNS}; ${command}`, '/dev/null'], {
  encoding: 'utf8',
  env: { ...process.env, TERM: 'xterm-256color', FORCE_COLOR: '1' },
});

/** What a line shows at its end: a carriage return or an erase begins it again. */
const finalOf = (line) => line.split(/\r(?!$)|\x1b\[2K|\x1b\[\d*G/).at(-1) ?? '';
const lines = [`$ ${command.replace(' --silent', '')}`, ...recorded.replaceAll('\r\n', '\n').split('\n').map(finalOf)]
  .flatMap((line) => (line === undefined ? [''] : [line.replace(/\r/g, '')]))
  .map((line) => line.replaceAll(process.cwd(), '.'));
while (lines.at(-1)?.trim() === '') lines.pop();

const escape = (text) => text.replace(/[&<>]/g, (character) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[character]);

function draw(line, row) {
  let style = {};
  const spans = [];
  for (const piece of line.split(/(\x1b\[[\d;?]*[A-Za-z])/)) {
    const codes = /^\x1b\[([\d;]*)m$/.exec(piece);
    if (codes) {
      for (const code of codes[1].split(';').map(Number)) {
        if (code === 0) style = {};
        else if (code === 1) style = { ...style, bold: true };
        else if (code === 2) style = { ...style, colour: COLOURS[90] };
        else if (code === 22 || code === 39) style = { ...style, bold: false, colour: undefined };
        else if (COLOURS[code]) style = { ...style, colour: COLOURS[code] };
      }
    } else if (!piece.startsWith('\x1b')) {
      spans.push(
        `<tspan${style.colour ? ` fill="${style.colour}"` : ''}${style.bold ? ' font-weight="bold"' : ''}>${escape(piece)}</tspan>`,
      );
    }
  }
  return `<text x="20" y="${54 + row * LINE_HEIGHT}" xml:space="preserve">${spans.join('')}</text>`;
}

/** A long line goes on below in the style in which it began. */
function wrap(line) {
  if (line.length <= COLUMNS + 20) return [line];
  const style = /^(?:\x1b\[[\d;]*m)*/.exec(line)[0];
  const words = line.slice(style.length).match(new RegExp(`.{1,${COLUMNS}}(?:\\s|$)`, 'g')) ?? [line];
  return words.map((part) => style + part);
}

const wrapped = lines.flatMap(wrap);
const width = Math.ceil(COLUMNS * CHARACTER_WIDTH) + 40;
const height = 70 + wrapped.length * LINE_HEIGHT;
const dots = ['#ff5f56', '#ffbd2e', '#27c93f']
  .map((colour, index) => `<circle cx="${24 + index * 20}" cy="20" r="6" fill="${colour}"/>`)
  .join('');
writeFileSync(
  'docs/images/terminal.svg',
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" fill="#c9d1d9">
<rect width="100%" height="100%" rx="10" fill="#0d1117"/>${dots}
${wrapped.map(draw).join('\n')}
</svg>
`,
);
