/** The thoughts further on in an answer of a model that thinks aloud (P52), and of one whose template opened the first tag itself. */

import type { SplitText } from './think-splitter';

/** A tag, but not one that stands in code quotes. */
const TAG = /(?<!`)<(think|thinking)>|<\/(think|thinking)>(?!`)/g;

/** Splits whole blocks out of the content of an answer that began with a thought. A tag that stays open is prose. */
export function takeLaterThoughts(content: string): SplitText {
  if (!content.includes('</think')) return { content, reasoning: '' };
  const kept: string[] = [];
  const thoughts: string[] = [];
  let from = 0;
  let opener: RegExpExecArray | undefined;
  for (const tag of content.matchAll(TAG)) {
    if (opener === undefined) opener = tag[1] === undefined ? undefined : tag;
    else if (tag[2] === opener[1]) {
      kept.push(content.slice(from, opener.index));
      thoughts.push(content.slice(opener.index + opener[0].length, tag.index));
      from = tag.index + tag[0].length;
      opener = undefined;
    }
  }
  return { content: kept.join('') + content.slice(from), reasoning: thoughts.join('') };
}

/** At the end of its line, or with the answer right behind it; where a blank or a point follows, it is spoken of. */
const LONE_CLOSER = /(?<!`)<\/think>(?=\s*\n|\s*$|[^\s`.,;:!?)"'\\])\s*/;

/** Some templates open the thought in the prompt, so that the answer holds its end only: a closer, and no opener before it. */
export function takeUnopenedThought(content: string): SplitText {
  const match = LONE_CLOSER.exec(content);
  if (match === null || content.slice(0, match.index).includes('<think')) return { content, reasoning: '' };
  return { content: content.slice(match.index + match[0].length), reasoning: content.slice(0, match.index) };
}
