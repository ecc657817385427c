/** What a strict provider would refuse in a chat completions request: written apart from the code that builds requests. */

interface SentMessage {
  readonly role?: unknown;
  readonly content?: unknown;
  readonly tool_call_id?: unknown;
  readonly tool_calls?: readonly SentCall[];
}

interface SentCall {
  readonly id?: unknown;
  readonly type?: unknown;
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown };
}

const ROLES: readonly unknown[] = ['system', 'user', 'assistant', 'tool'];
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** One sentence a fault; none for a request that every provider takes. */
export function findRequestFaults(body: unknown): readonly string[] {
  const messages = (body as { readonly messages?: unknown } | null)?.messages;
  if (!Array.isArray(messages) || messages.length === 0) return ['it has no messages'];
  const sent = messages as readonly SentMessage[];
  return [...sent.flatMap(findMessageFaults), ...findPairingFaults(sent), ...findEndFaults(sent)];
}

function findMessageFaults(message: SentMessage, index: number): readonly string[] {
  const faults: string[] = [];
  if (!ROLES.includes(message.role)) faults.push(`messages[${index}] has the role ${String(message.role)}`);
  if (message.role !== 'assistant' && isBlank(message.content)) faults.push(`messages[${index}] is empty`);
  if (message.role === 'assistant' && isBlank(message.content) && message.tool_calls === undefined)
    faults.push(`messages[${index}] says nothing`);
  for (const { id, type, function: called } of message.tool_calls ?? []) {
    if (isBlank(id) || type !== 'function' || !TOOL_NAME.test(String(called?.name)))
      faults.push(`messages[${index}] has a call without id, type or name`);
    if (!isJsonObject(called?.arguments)) faults.push(`messages[${index}] has a call whose arguments are not a JSON object`);
  }
  return faults;
}

/** Each call has exactly one result, directly behind its message, in call order; each id is used once. */
function findPairingFaults(messages: readonly SentMessage[]): readonly string[] {
  const faults: string[] = [];
  const used = new Set<unknown>();
  let due: unknown[] = [];
  messages.forEach(({ role, tool_call_id, tool_calls = [] }, index) => {
    if (role === 'tool') {
      if (due.shift() !== tool_call_id) faults.push(`messages[${index}] answers no call, or not in call order`);
      return;
    }
    if (due.length > 0) faults.push(`messages[${index}] comes before ${due.length} results`);
    due = tool_calls.map(({ id }) => id);
    for (const id of due) if (used.size === used.add(id).size) faults.push(`messages[${index}] uses the call id ${String(id)} again`);
  });
  if (due.length > 0) faults.push(`the last ${due.length} results are missing`);
  return faults;
}

function findEndFaults(messages: readonly SentMessage[]): readonly string[] {
  const faults: string[] = [];
  const first = messages.find(({ role }) => role !== 'system')?.role;
  if (first !== 'user') faults.push(`it begins with the role ${String(first)}`);
  const last = messages.at(-1)?.role;
  if (last !== 'user' && last !== 'tool') faults.push(`it ends with the role ${String(last)}`);
  return faults;
}

const isBlank = (content: unknown): boolean =>
  content === undefined ||
  content === null ||
  (typeof content === 'string' && content.trim() === '') ||
  (Array.isArray(content) && content.length === 0);

function isJsonObject(text: unknown): boolean {
  if (typeof text !== 'string') return false;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false; // that is the fault
  }
}
