/** Counts each attempt of a step where Temporal hands it over and takes it back. */

import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { EngineMetrics, StepKind } from './engine-metrics';

const KINDS: Readonly<Record<string, StepKind>> = { runTurn: 'turn', runTool: 'tool' };

export const stepInterceptor =
  (metrics: EngineMetrics): ActivityInterceptorsFactory =>
  ({ info }) => {
    const kind = KINDS[info.activityType];
    if (kind === undefined) return {};
    return {
      inbound: {
        execute: async (input, next) => {
          const end = metrics.stepStarted(kind, (Date.now() - info.currentAttemptScheduledTimestampMs) / 1000);
          try {
            const answer = await next(input);
            end();
            return answer;
          } catch (error) {
            end(failureOf(error));
            throw error;
          }
        },
      },
    };
  };

/** A code of the engine's, never a text. */
function failureOf(error: unknown): string {
  if (error instanceof ApplicationFailure) return error.type ?? 'InternalError';
  return error instanceof CancelledFailure ? 'Cancelled' : 'InternalError';
}
