/** A librarian: one complete agent, with tools of each effect, state, limits and a hook. */

import { z } from 'zod';
import { defineAgent, defineTool, type Agent, type ModelChoice } from '../src/index';
import { Catalogue } from './catalogue';

export interface LibrarianOptions {
  readonly model: ModelChoice;
  /** @default a small one, kept in memory */
  readonly catalogue?: Catalogue;
}

export function createLibrarian({ model, catalogue = new Catalogue() }: LibrarianOptions): Agent {
  const findBooks = defineTool({
    name: 'find_books',
    description: 'Finds books by words of their title.',
    input: z.object({ words: z.string() }),
    effect: 'read', // may run any number of times
    run: ({ words }) => catalogue.find(words),
  });

  const reserveBook = defineTool({
    name: 'reserve_book',
    description: 'Reserves a book for the reader.',
    input: z.object({ bookId: z.number().int() }),
    effect: 'idempotent', // after a crash it runs again with the same key, and the catalogue knows the key
    run: ({ bookId }, { idempotencyKey, principal, setState }) => {
      const reservation = catalogue.reserve({ bookId, reader: String(principal), key: idempotencyKey });
      setState((state) => ({ reserved: Number(state.reserved ?? 0) + 1 }));
      return reservation;
    },
  });

  const sendReminder = defineTool({
    name: 'send_reminder',
    description: 'Sends the reader a letter.',
    input: z.object({ text: z.string().max(500) }),
    effect: 'unsafe', // a second letter cannot be taken back: it never runs twice
    timeoutSeconds: 30,
    run: ({ text }, { idempotencyKey, principal }) => catalogue.sendLetter({ reader: String(principal), text, key: idempotencyKey }),
    // Asked if a worker died between the letter and its record: did it happen?
    reconcile: ({ idempotencyKey }) => {
      const letter = catalogue.findLetter(idempotencyKey);
      return letter === undefined ? { happened: false } : { happened: true, result: letter };
    },
  });

  return defineAgent({
    name: 'librarian',
    model,
    instructions: ({ loop }) => `You are the librarian of a small town. The reader is ${loop.subject?.id ?? 'a guest'}. Be brief.`,
    tools: [findBooks, reserveBook, sendReminder],
    limits: { steps: 20, durationSeconds: 3600 },
    principal: ({ loop }) => loop.subject?.id ?? 'guest',
    hooks: {
      onMessageCreated: ({ message, messageId }) => catalogue.note(messageId, message.role),
    },
  });
}
