/** Environment → settings: the only reader of `process.env`. One schema gives values, messages and the documented table. */

import { z } from 'zod';
import { SolidLoopError } from '../domain/errors';
import { type EngineSettings, SETTING_NAMES } from '../domain/settings';

export const DEFAULT_TASK_QUEUE = 'solidloop';
export const DEFAULT_DATA_FOLDER = '.solidloop';

/** Where things are. Absent addresses mean the embedded stack. */
export interface EnvironmentSettings {
  readonly databaseUrl: string | undefined;
  readonly temporalAddress: string | undefined;
  readonly temporalNamespace: string;
  readonly taskQueue: string;
  readonly dataFolder: string;
  readonly configFolder: string;
  /** Connections of a worker's pool. */
  readonly poolSize: number;
  /** False behind a pooler that cannot LISTEN: fences are read every 5 s instead. */
  readonly listen: boolean;
  readonly logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** Turns and tool calls that one worker runs at a time. */
  readonly maxConcurrentSteps: number;
  /** Where a worker serves its metrics; absent: nowhere. */
  readonly metrics: { readonly port: number; readonly host: string; readonly token?: string } | undefined;
  /** Names this build to Temporal's worker deployments; absent: the worker is not versioned. */
  readonly deployment: { readonly name: string; readonly buildId: string } | undefined;
  /** What the environment says of the engine; the config and the defaults fill the rest. */
  readonly engine: Partial<EngineSettings>;
}

const WHOLE = 'it must be a whole number above 0';
const positiveWhole = z.coerce.number(WHOLE).int(WHOLE).positive(WHOLE);
const flag = z.enum(['1', '0', 'true', 'false']).transform((value) => value === '1' || value === 'true');

/** SOLIDLOOP_LEASE_MARGIN for `leaseMargin`, and so on. */
export const variableOf = (setting: keyof EngineSettings): string =>
  `SOLIDLOOP_${setting.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;

const engineSchema = z.object(Object.fromEntries(SETTING_NAMES.map((name) => [variableOf(name), positiveWhole.optional()])));

const environmentSchema = z.object({
  DATABASE_URL: z.string().min(1).optional(),
  TEMPORAL_ADDRESS: z.string().min(1).optional(),
  TEMPORAL_NAMESPACE: z.string().min(1).default('default'),
  SOLIDLOOP_TASK_QUEUE: z.string().min(1).default(DEFAULT_TASK_QUEUE),
  SOLIDLOOP_DATA: z.string().min(1).default(DEFAULT_DATA_FOLDER),
  SOLIDLOOP_CONFIG: z.string().min(1).default('.'),
  SOLIDLOOP_POOL_SIZE: positiveWhole.default(20),
  SOLIDLOOP_LISTEN: flag.default(true),
  SOLIDLOOP_LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
  SOLIDLOOP_MAX_STEPS: positiveWhole.default(200),
  SOLIDLOOP_METRICS_PORT: positiveWhole.max(65_535).optional(),
  SOLIDLOOP_METRICS_HOST: z.string().min(1).default('127.0.0.1'),
  SOLIDLOOP_METRICS_TOKEN: z.string().min(1).optional(),
  SOLIDLOOP_DEPLOYMENT: z.string().min(1).default('solidloop'),
  SOLIDLOOP_BUILD_ID: z.string().min(1).optional(),
});

/**
 * @throws ConfigError that names each wrong variable, its value and what it must be
 */
export function readEnvironment(environment: Readonly<Record<string, string | undefined>> = process.env): EnvironmentSettings {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''));
  const values = parseWith(environmentSchema, given);
  const engine = parseWith(engineSchema, given);
  return {
    databaseUrl: values.DATABASE_URL,
    temporalAddress: values.TEMPORAL_ADDRESS,
    temporalNamespace: values.TEMPORAL_NAMESPACE,
    taskQueue: values.SOLIDLOOP_TASK_QUEUE,
    dataFolder: values.SOLIDLOOP_DATA,
    configFolder: values.SOLIDLOOP_CONFIG,
    poolSize: values.SOLIDLOOP_POOL_SIZE,
    listen: values.SOLIDLOOP_LISTEN,
    logLevel: values.SOLIDLOOP_LOG_LEVEL,
    maxConcurrentSteps: values.SOLIDLOOP_MAX_STEPS,
    metrics: metricsOf(values),
    deployment:
      values.SOLIDLOOP_BUILD_ID === undefined ? undefined : { name: values.SOLIDLOOP_DEPLOYMENT, buildId: values.SOLIDLOOP_BUILD_ID },
    engine: Object.fromEntries(
      SETTING_NAMES.flatMap((name) => (engine[variableOf(name)] === undefined ? [] : [[name, engine[variableOf(name)]]])),
    ),
  };
}

type EnvironmentValues = z.infer<typeof environmentSchema>;

function metricsOf({
  SOLIDLOOP_METRICS_PORT: port,
  SOLIDLOOP_METRICS_HOST: host,
  SOLIDLOOP_METRICS_TOKEN: token,
}: EnvironmentValues): EnvironmentSettings['metrics'] {
  return port === undefined ? undefined : { port, host, ...(token === undefined ? {} : { token }) };
}

function parseWith<Schema extends z.ZodType>(schema: Schema, given: Readonly<Record<string, string | undefined>>): z.infer<Schema> {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.')}=${JSON.stringify(given[path.join('.')])}: ${message}`);
  throw new SolidLoopError('ConfigError', `the environment is not valid: ${faults.join('; ')}`);
}
