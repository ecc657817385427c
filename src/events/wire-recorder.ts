/** The wire log (R43): a row before each call, completed after it, in statements of its own. What fails here is logged and never the turn's. */

import { createHash } from 'node:crypto';
import { messageOf } from '../domain/errors';
import type { EventId, LoopId } from '../domain/ids';
import type { Database } from '../db/database';
import {
  completeWireEvent,
  findLastRequest,
  insertWireEvent,
  type NewWireEvent,
  type StoredMessage,
  type WireCompletion,
  type WirePlace,
} from '../db/wire/events';
import type { WireOutcome, WireRecorder, WireRequest } from '../domain/wire';
import type { Logger } from '../util/logger';
import { LastRequest, LastRequests } from './last-requests';
import { secretsOfHeaders } from '../util/secret-headers';
import type { Redactor } from './redact';
import { withPlaceForMessages } from './wire-body';

/** R42: bodies of errors are cut here, with a note. */
export const ERROR_BODY_LIMIT_CHARS = 8_192;

export interface WireLogOptions {
  readonly db: Database;
  readonly redactor: Redactor;
  readonly logger: Pick<Logger, 'warn'>;
}

/** One a process. `recorderFor` gives the recorder of one attempt. */
export class WireLog {
  readonly #options: WireLogOptions;
  readonly #last = new LastRequests();

  constructor(options: WireLogOptions) {
    this.#options = options;
  }

  recorderFor(place: WirePlace): WireRecorder {
    return { start: (request) => this.#start(place, request) };
  }

  async #start(place: WirePlace, request: WireRequest): Promise<(outcome: WireOutcome) => Promise<void>> {
    const redactor = this.#options.redactor.with(secretsOfHeaders(request.headers));
    const eventId = await this.#guard(place, () => this.#insert(place, request, redactor));
    return async (outcome) => {
      if (eventId === undefined) return;
      await this.#guard(place, () => completeWireEvent(this.#options.db, eventId, toCompletion(outcome, redactor)));
    };
  }

  async #insert(place: WirePlace, request: WireRequest, redactor: Redactor): Promise<EventId> {
    const messages = request.messages.map((message) => toStoredMessage(redactor.json(message)));
    const event = toNewEvent(place, request, redactor);
    if (request.kind !== 'llm-request') return this.#insertWhole({ ...event, messages });
    const last = await this.#findLast(place.loopId);
    const eventId = (await this.#insertAfter(last, event, messages)) ?? (await this.#insertWhole({ ...event, messages }));
    this.#last.set(place.loopId, new LastRequest({ eventId, hashes: hashesOf(messages) }));
    return eventId;
  }

  async #findLast(loopId: LoopId): Promise<LastRequest | undefined> {
    const remembered = this.#last.find(loopId);
    if (remembered !== undefined) return remembered;
    const stored = await findLastRequest(this.#options.db, loopId);
    return stored === undefined ? undefined : new LastRequest(stored);
  }

  async #insertAfter(
    last: LastRequest | undefined,
    event: Omit<NewWireEvent, 'messages'>,
    messages: readonly StoredMessage[],
  ): Promise<EventId | undefined> {
    const length = last?.sharedLength(hashesOf(messages)) ?? 0;
    if (last === undefined || length === 0) return undefined;
    return insertWireEvent(this.#options.db, { ...event, base: { eventId: last.eventId, length }, messages: messages.slice(length) });
  }

  async #insertWhole(event: NewWireEvent): Promise<EventId> {
    const eventId = await insertWireEvent(this.#options.db, event);
    if (eventId === undefined) throw new Error('a wire event without a base was not inserted');
    return eventId;
  }

  async #guard<Result>(place: WirePlace, write: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await write();
    } catch (error) {
      this.#last.forget(place.loopId);
      this.#options.logger.warn(
        { loopId: place.loopId, turnNumber: place.turnNumber, reason: messageOf(error) },
        'the wire log could not be written; the call goes on',
      );
      return undefined;
    }
  }
}

function toNewEvent(place: WirePlace, request: WireRequest, redactor: Redactor): Omit<NewWireEvent, 'messages'> {
  return {
    ...place,
    kind: request.kind,
    name: request.name,
    method: request.method,
    url: redactor.url(request.url),
    request: redactor.json(withPlaceForMessages(request.parameters, request.messages)),
    headers: redactor.headers(request.headers),
  };
}

function toCompletion(outcome: WireOutcome, redactor: Redactor): WireCompletion {
  return {
    status: outcome.status ?? null,
    headers: outcome.headers === undefined ? null : redactor.headers(outcome.headers),
    response: toResponse(outcome, redactor),
    error: outcome.error === undefined ? null : cutErrorBody(withoutNul(redactor.text(outcome.error))),
    durationSeconds: outcome.durationSeconds,
  };
}

function toResponse(outcome: WireOutcome, redactor: Redactor): string | null {
  if (outcome.response === undefined) return null;
  const whole = redactor.json(outcome.response);
  const isError = outcome.error !== undefined || (outcome.status ?? 0) >= 400;
  return isError && whole.length > ERROR_BODY_LIMIT_CHARS ? JSON.stringify(cutErrorBody(whole)) : whole;
}

/** R42: at most 8,192 characters of a body, and a note on how many there were. */
export function cutErrorBody(body: string): string {
  return body.length <= ERROR_BODY_LIMIT_CHARS
    ? body
    : `${body.slice(0, ERROR_BODY_LIMIT_CHARS)}… (cut: ${ERROR_BODY_LIMIT_CHARS} of ${body.length} characters)`;
}

const withoutNul = (text: string): string => text.replaceAll('\u0000', '');

const toStoredMessage = (body: string): StoredMessage => ({ hash: createHash('sha256').update(body).digest(), body });

const hashesOf = (messages: readonly StoredMessage[]): readonly Buffer[] => messages.map(({ hash }) => hash);
