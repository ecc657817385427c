/** `solidloop why`: the cause, what helps to know, what to do next. */

import type { Why } from '../../client/why';
import { type Paint, paintStatus } from './paint';
import { printable } from './text';

export function formatWhy(why: Why, paint: Paint): string {
  const head = `${paint.dim(`loop ${why.loopId} ·`)} ${paintStatus(paint, why.status)}`;
  const details = why.details.map((detail) => `  ${printable(detail)}`);
  const next = why.next.map((act) => `${paint.cyan('→')} ${act}`);
  return [head, paint.bold(printable(why.sentence)), ...details, ...(next.length === 0 ? [] : ['', ...next])].join('\n');
}
