import { Catalogue } from '../../../examples/catalogue';
import { createLibrarian } from '../../../examples/librarian';
import { anyLoop } from '../../support/any-loop';
import { runToolStack } from '../../../src/tools/run-tool-stack';
import { claimedCall, fakeToolPorts } from '../tools/fake-tool-ports';

describe('the librarian', () => {
  const catalogue = new Catalogue();
  const librarian = createLibrarian({ model: { name: 'm' }, catalogue });

  async function call(name: string, given: Record<string, unknown>): Promise<unknown> {
    const tool = librarian.tools?.find((candidate) => candidate.name === name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    const ports = fakeToolPorts();
    const claimed = claimedCall(tool, { arguments: given as never });
    await runToolStack({ claimed: { ...claimed, agent: librarian }, ports });
    return ports.calls.at(-1);
  }

  it('finds and reserves a book, and counts in the loop’s state', async () => {
    await expect(call('find_books', { words: 'earthsea' })).resolves.toMatchObject({
      outcome: { result: expect.stringContaining('A Wizard of Earthsea') as string },
    });

    const reserved = await call('reserve_book', { bookId: 1 });
    expect(reserved).toMatchObject({ outcome: { result: '"A Wizard of Earthsea" is reserved for guest', isSuccess: true } });
    const [count] = (reserved as { outcome: { stateChanges: ((state: object) => object)[] } }).outcome.stateChanges;
    expect(count?.({ reserved: 2 })).toEqual({ reserved: 3 });
  });

  it('R76: tells the model what does not exist', async () => {
    await expect(call('reserve_book', { bookId: 99 })).resolves.toMatchObject({
      outcome: { isSuccess: false, errorMessage: 'there is no book 99; find_books tells the ids' },
    });
  });

  it('R75: knows after a crash whether its letter was sent', async () => {
    const reconcile = librarian.tools?.find(({ name }) => name === 'send_reminder')?.reconcile;
    const asked = {
      idempotencyKey: 'solid_loop:tool_call:0190c5b2-0000-7000-8000-000000000001',
      input: { text: 'Due tomorrow.' },
      loop: anyLoop(),
      signal: new AbortController().signal,
    };

    await expect(reconcile?.(asked)).resolves.toEqual({ happened: false });
    await call('send_reminder', { text: 'Due tomorrow.' });
    await call('send_reminder', { text: 'Due tomorrow.' });

    await expect(reconcile?.(asked)).resolves.toEqual({ happened: true, result: 'sent to guest: Due tomorrow.' });
    expect(catalogue.letterCount).toBe(1);
  });
});
