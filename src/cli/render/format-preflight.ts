/** What a rollout would meet. */

import type { DefinitionDifference, PreflightReport } from '../../preflight';
import type { Paint } from './paint';
import { plural, printable, shorten } from './text';

const HASH_CHARS = 12;
const ERROR_CHARS = 200;

export function formatPreflight({ replayed, failures, differences }: PreflightReport, paint: Paint): string {
  const replays =
    failures.length === 0
      ? [`${paint.green('✓')} ${plural(replayed, 'running workflow')} replayed with this code`]
      : [
          `${paint.red('✗')} ${failures.length} of ${plural(replayed, 'running workflow')} cannot go on with this code:`,
          ...failures.map(({ workflowId, error }) => `  ${workflowId}  ${paint.red(shorten(error, ERROR_CHARS))}`),
        ];
  return [...replays, ...differences.map((difference) => formatDifference(difference, paint))].join('\n');
}

function formatDifference({ agentName, loops, startedWith, now }: DefinitionDifference, paint: Paint): string {
  const which = `${plural(loops, 'live loop')} of agent ${printable(agentName)}`;
  if (now === null) return `${paint.red('✗')} ${which}: no agent has that name here; they would pause once they are due`;
  return `${paint.yellow('!')} ${which}: started with definition ${startedWith.slice(0, HASH_CHARS)}, would go on with ${now.slice(0, HASH_CHARS)}`;
}
