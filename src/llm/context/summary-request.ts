/** Writes the part of a transcript that leaves the model's view as one text, to be summarised. */

import type { TranscriptMessage } from '../../domain/message';

export const SUMMARY_INSTRUCTIONS = [
  'You are given the beginning of a conversation between a user and an assistant that uses tools.',
  'Write a summary with which the assistant can go on without it: the task, decisions, facts found, what was done and how it ended, what is still open.',
  'Keep names, numbers, paths and ids exactly. Write the summary only.',
].join(' ');

const RESULT_SHOWN_CHARS = 2_000;

/** Calls and results as text: a summary needs no tools. */
export function toSummaryText(messages: readonly TranscriptMessage[]): string {
  return messages
    .map(toText)
    .filter((text) => text !== '')
    .join('\n\n');
}

function toText(message: TranscriptMessage): string {
  const content = (message.content ?? '').trim();
  if (message.role === 'tool') return `[result] ${content.slice(0, RESULT_SHOWN_CHARS)}${content.length > RESULT_SHOWN_CHARS ? '…' : ''}`;
  const calls = message.toolCalls.map((call) => `[call] ${call.name}(${call.arguments.slice(0, RESULT_SHOWN_CHARS)})`);
  const text = content === '' ? [] : [`[${message.role}] ${content}`];
  return [...text, ...calls].join('\n');
}
