/** The thoughts further on in an answer of a model that thinks aloud (P52), and of one whose template opened the first tag itself. */

import type { SplitText } from './think-splitter';

/** A whole block, but not one that stands in code quotes. */
const WHOLE_BLOCK = /(?<!`)<(think|thinking)>([\s\S]*?)<\/\1>(?!`)/g;

/** Splits whole blocks out of the content of an answer that began with a thought. A tag that stays open is prose. */
export function takeLaterThoughts(content: string): SplitText {
  if (!content.includes('</think')) return { content, reasoning: '' };
  const thoughts: string[] = [];
  const rest = content.replace(WHOLE_BLOCK, (_block, _tag, thought: string) => {
    thoughts.push(thought);
    return '';
  });
  return { content: rest, reasoning: thoughts.join('') };
}

const LONE_CLOSER = /(?<!`)<\/think>[ \t]*(?:\r?\n){2,}/;

/** Some templates open the thought in the prompt, so that the answer holds its end only: a closer, a blank line, and no opener before it. */
export function takeUnopenedThought(content: string): SplitText {
  const match = LONE_CLOSER.exec(content);
  if (match === null || content.slice(0, match.index).includes('<think')) return { content, reasoning: '' };
  return { content: content.slice(match.index + match[0].length), reasoning: content.slice(0, match.index) };
}
