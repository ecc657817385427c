/** A strict provider's own check of a chat completions request, written apart from the code that builds it: the faults found. */

interface Wire {
  readonly role?: unknown;
  readonly content?: unknown;
  readonly tool_calls?: readonly {
    readonly id?: unknown;
    readonly type?: unknown;
    readonly function?: { readonly name?: unknown; readonly arguments?: unknown };
  }[];
  readonly tool_call_id?: unknown;
}

const KEYS_BY_ROLE: Readonly<Record<string, readonly string[]>> = {
  system: ['role', 'content'],
  user: ['role', 'content'],
  assistant: ['role', 'content', 'tool_calls', 'reasoning_content'],
  tool: ['role', 'content', 'tool_call_id'],
};

export function faultsOf(body: Record<string, unknown>, idPattern = /^.+$/): readonly string[] {
  const faults: string[] = [];
  const messages = body.messages as readonly Wire[];
  const text = JSON.stringify(body);
  if (/\\u0000|\\ud[89a-f]/i.test(text)) faults.push('NUL or half a character');
  for (const key of ['tool_choice', 'parallel_tool_calls']) if (key in body && !('tools' in body)) faults.push(`${key} without tools`);
  if (Array.isArray(body.tools) && body.tools.length === 0) faults.push('empty tools');
  const seen = new Set<unknown>();
  let open: unknown[] = [];
  messages.forEach((message, index) => {
    const where = `messages[${index}]`;
    const role = String(message.role);
    for (const key of Object.keys(message)) if (!(KEYS_BY_ROLE[role] ?? []).includes(key)) faults.push(`${where}.${key} is not known`);
    if (role === 'tool') {
      if (open.length === 0) faults.push(`${where} answers nothing`);
      if (open.shift() !== message.tool_call_id) faults.push(`${where} is out of order`);
      if (typeof message.content !== 'string' || message.content.trim() === '') faults.push(`${where} is empty`);
      return;
    }
    if (open.length > 0) faults.push(`${where} comes before ${open.length} results`);
    open = [];
    if (role === 'assistant') {
      const toolCalls = message.tool_calls ?? [];
      if (message.tool_calls?.length === 0) faults.push(`${where} has an empty list of calls`);
      if (toolCalls.length === 0 && (typeof message.content !== 'string' || message.content === '')) faults.push(`${where} says nothing`);
      for (const toolCall of toolCalls) {
        if (typeof toolCall.id !== 'string' || !idPattern.test(toolCall.id)) faults.push(`${where} has a bad id ${String(toolCall.id)}`);
        if (seen.has(toolCall.id)) faults.push(`${where} repeats id ${String(toolCall.id)}`);
        seen.add(toolCall.id);
        if (toolCall.type !== 'function') faults.push(`${where} has a call without type`);
        if (!/^[a-zA-Z0-9_-]{1,64}$/.test(String(toolCall.function?.name)))
          faults.push(`${where} has a bad name ${String(toolCall.function?.name)}`);
        if (!isJsonObject(toolCall.function?.arguments)) faults.push(`${where} has bad arguments`);
        open.push(toolCall.id);
      }
    }
  });
  if (open.length > 0) faults.push('the last results are missing');
  const last = messages.at(-1)?.role;
  if (last !== 'user' && last !== 'tool') faults.push(`ends in ${String(last)}`);
  const first = messages.find((message) => message.role !== 'system')?.role;
  if (first !== 'user') faults.push(`begins with ${String(first)}`);
  messages.forEach((message, index) => {
    const before = messages[index - 1];
    if (before === undefined || before.role !== message.role || message.role === 'tool') return;
    if (message.role === 'assistant' && before.tool_calls !== undefined) return;
    faults.push(`messages[${index}] repeats the role ${String(message.role)}`);
  });
  return faults;
}

function isJsonObject(text: unknown): boolean {
  if (typeof text !== 'string') return false;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
