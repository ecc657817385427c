/** Takes `<think>` blocks out of content that goes back to the model (P52): thoughts are replayed through their own fields or not at all. */

/** Each whole block, unless it stands in back-quotes, where it is spoken of. An unclosed tag stays text. */
const THOUGHT = /(?<!`)<think(?:ing)?>[\s\S]*?<\/think(?:ing)?>(?!`)/g;

export function stripThoughts(content: string): string {
  const stripped = content.replace(THOUGHT, '');
  return stripped === content ? content : stripped.trim();
}
