/** The text of a provider's error for people: status and body, short where the body is no JSON (R41, P95, P103). */

import { parseJson } from '../foreign-json';
import type { ProviderError } from './provider-error';
import { plainText, type ErrorFacts } from './read-error-body';

const PLAIN_TEXT_LIMIT_CHARS = 500;

/** `HTTP <status>: <body>` for an HTTP error; a sentence with the provider's words for any other. */
export function formatProviderError(error: ProviderError, facts: ErrorFacts): string {
  if (error.kind === 'http') return `HTTP ${String(error.status ?? 'error')}: ${bodyOf(error)}${adviceOn(error, facts)}`;
  const status = facts.status === undefined ? '' : `HTTP ${facts.status}: `;
  if (error.kind === 'protocol' || facts.isHtml) return `${error.message} (${withoutQuery(error.url)})`;
  const says = facts.message === '' || error.message.includes(facts.message) ? '' : `: ${shorten(facts.message)}`;
  return `${status}${error.message}${says}`;
}

function bodyOf(error: ProviderError): string {
  const body = error.body.trim();
  if (body === '') return '(empty body)';
  return parseJson(body) === undefined && !/^[[{]/.test(body) ? shorten(plainText(body)) : body;
}

/** A wrong address is the usual reason of a 404, else a wrong name of the model. */
function adviceOn({ status, url }: ProviderError, facts: ErrorFacts): string {
  if (status !== 404 && status !== 405) return '';
  const address = withoutQuery(url);
  const path = /\/(chat\/completions|responses)$/.exec(address)?.[0];
  const advice = /model/i.test(`${facts.text} ${facts.words.join(' ')}`)
    ? 'check model.name: the server does not serve it, or not to this key'
    : path === undefined
      ? 'check the address'
      : `check model.baseURL, to which ${path} was added: most servers want it to end in /v1`;
  return ` (POST ${address}; ${advice})`;
}

/** Keys travel in queries. */
const withoutQuery = (url: string): string => url.replace(/[?#].*$/, '');

const shorten = (text: string): string => (text.length <= PLAIN_TEXT_LIMIT_CHARS ? text : `${text.slice(0, PLAIN_TEXT_LIMIT_CHARS)}…`);
