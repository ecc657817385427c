/** An agent with an unsafe tool, and the test that kills its worker at every point of a loop. */

import { join } from 'node:path';
import { z } from 'zod';
import { defineAgent, defineConfig, defineTool, type SolidLoopConfig } from '../src/index';
import {
  type LoopFaultReport,
  openLedger,
  startScriptedModel,
  testLoopAgainstFaults,
  textAnswer,
  toolCallsAnswer,
} from '../src/testing/index';

interface LetterArguments {
  readonly modelUrl?: string;
  readonly ledgerPath?: string;
}

/** What each worker process loads: made of `configArguments`, which cross to it as JSON. */
export function config({ modelUrl = '', ledgerPath = '' }: LetterArguments): SolidLoopConfig {
  const ledger = openLedger(ledgerPath);
  const sendLetter = defineTool({
    name: 'send_letter',
    description: 'Sends a letter',
    input: z.object({ to: z.string() }),
    effect: 'unsafe',
    run: ({ to }, { idempotencyKey }) => {
      ledger.append({ key: idempotencyKey, tool: 'send_letter', effect: 'unsafe' });
      return `sent to ${to}`;
    },
  });
  const model = { name: 'scripted', baseURL: modelUrl, apiKey: 'none' };
  return defineConfig({ agents: [defineAgent({ name: 'secretary', model, tools: [sendLetter] })] });
}

export interface FaultTestAddresses {
  /** A database for tests alone. */
  readonly databaseUrl: string;
  /** host:port */
  readonly temporalAddress: string;
  /** For the ledger. */
  readonly folder: string;
}

/** No letter is sent twice, and every loop ends with an answer, whatever happens to the worker. */
export async function testSecretary({ folder, ...addresses }: FaultTestAddresses): Promise<LoopFaultReport> {
  const model = await startScriptedModel();
  await model.push(
    {
      ...toolCallsAnswer([{ name: 'send_letter', arguments: { to: 'Ann' } }]),
      match: { lastMessageContains: 'Write to Ann' },
      times: 'always',
    },
    { ...textAnswer('I have written to Ann.'), times: 'always' },
  );
  const ledgerPath = join(folder, 'letters.jsonl');
  try {
    return await testLoopAgainstFaults({
      ...addresses,
      configModule: __filename,
      configArguments: { modelUrl: model.baseURL, ledgerPath },
      agent: 'secretary',
      message: 'Write to Ann',
      ledgerPath,
      invariants: ({ outcome }) => (outcome.answer === 'I have written to Ann.' ? [] : [`the answer is ${outcome.answer}`]),
    });
  } finally {
    await model.stop();
  }
}
