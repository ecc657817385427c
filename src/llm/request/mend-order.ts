/** Mends the order of a conversation for templates that demand alternation (P79, P89): joins neighbours, opens and ends with the user. At send time only. */

import type { ContentPart } from '../../domain/message';
import type { FamilyTraits } from '../families/provider-family';
import type { AssistantItem, ConversationItem, UserContent } from './conversation';

const OPENING_TEXT = '(The conversation begins here.)';
const CLOSING_TEXT = 'Continue.';
const BETWEEN_TEXT = 'OK.';

export function mendOrder(
  items: readonly ConversationItem[],
  traits: Pick<FamilyTraits, 'assistantAfterTool' | 'systemFirst'>,
): readonly ConversationItem[] {
  const joined = joinNeighbours(traits.systemFirst ? withSystemFirst(items) : items);
  return closed(opened(traits.assistantAfterTool ? withAnswersBetween(joined) : joined));
}

/** A system message that came later is told where it came, by the user. */
function withSystemFirst(items: readonly ConversationItem[]): readonly ConversationItem[] {
  const first = items.findIndex((item) => item.role !== 'system');
  return items.map((item, index) => (item.role === 'system' && first >= 0 && index > first ? { role: 'user', content: item.text } : item));
}

function joinNeighbours(items: readonly ConversationItem[]): readonly ConversationItem[] {
  const done: ConversationItem[] = [];
  for (const item of items) {
    const last = done.at(-1);
    const joined = last === undefined ? undefined : join(last, item);
    if (joined === undefined) done.push(item);
    else done[done.length - 1] = joined;
  }
  return done;
}

function join(first: ConversationItem, second: ConversationItem): ConversationItem | undefined {
  if (first.role === 'user' && second.role === 'user') return { role: 'user', content: joinContent(first.content, second.content) };
  if (first.role === 'system' && second.role === 'system') return { role: 'system', text: joinText(first.text, second.text) };
  if (first.role === 'assistant' && first.calls.length === 0 && second.role === 'assistant') return joinAnswers(first, second);
  return undefined;
}

const joinAnswers = (first: AssistantItem, second: AssistantItem): AssistantItem => ({
  ...first,
  ...second,
  text: joinText(first.text, second.text),
});

const joinText = (first: string, second: string): string => [first, second].filter((text) => text !== '').join('\n\n');

function joinContent(first: UserContent, second: UserContent): UserContent {
  return typeof first === 'string' && typeof second === 'string' ? joinText(first, second) : [...toParts(first), ...toParts(second)];
}

const toParts = (content: UserContent): readonly ContentPart[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content;

function withAnswersBetween(items: readonly ConversationItem[]): readonly ConversationItem[] {
  const isUserAfterTool = (index: number): boolean => items[index]?.role === 'user' && items[index - 1]?.role === 'tool';
  return items.flatMap((item, index) =>
    isUserAfterTool(index) ? [{ role: 'assistant' as const, text: BETWEEN_TEXT, calls: [] }, item] : [item],
  );
}

/** Cut or hidden beginnings leave an assistant first, which strict templates refuse. */
function opened(items: readonly ConversationItem[]): readonly ConversationItem[] {
  const first = items.findIndex((item) => item.role !== 'system');
  return items[first]?.role === 'assistant' ? items.toSpliced(first, 0, { role: 'user', content: OPENING_TEXT }) : items;
}

/** A request ends with what is to be answered. */
function closed(items: readonly ConversationItem[]): readonly ConversationItem[] {
  const last = items.at(-1)?.role;
  return last === 'user' || last === 'tool' ? items : [...items, { role: 'user', content: CLOSING_TEXT }];
}
