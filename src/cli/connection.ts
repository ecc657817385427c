/** The options that every command has, and how they become addresses: the flag, the environment, a running development stack, the config. */

import { type Command, Option } from 'commander';
import type { SolidLoopConfig } from '../agents/define-config';
import type { EnvironmentSettings } from '../config/environment';
import { DEFAULT_TASK_QUEUE } from '../config/environment';
import type { OfferedModel } from '../config/offer-model';
import type { ModelEndpoint } from '../dev/model-endpoint';
import { SolidLoopError } from '../domain/errors';
import type { CliContext } from './context';

export interface CommonOptions {
  readonly json?: boolean;
  readonly debug?: boolean;
  readonly databaseUrl?: string;
  readonly temporalAddress?: string;
  readonly namespace?: string;
  readonly taskQueue?: string;
  readonly config?: string;
}

export interface Addresses {
  readonly databaseUrl: string;
  readonly temporalAddress: string;
  readonly namespace: string;
  readonly taskQueue: string;
}

export function addCommonOptions(command: Command): Command {
  return command
    .addOption(new Option('--json', 'answer in JSON, for scripts'))
    .addOption(new Option('--database-url <url>', 'Postgres (DATABASE_URL)'))
    .addOption(new Option('--temporal-address <host:port>', 'Temporal (TEMPORAL_ADDRESS)'))
    .addOption(new Option('--namespace <name>', "Temporal's namespace (TEMPORAL_NAMESPACE)"))
    .addOption(new Option('--task-queue <name>', 'where loops run (SOLIDLOOP_TASK_QUEUE)'))
    .addOption(new Option('--config <folder>', 'folder of solidloop.config.ts or .js (SOLIDLOOP_CONFIG)'))
    .addOption(new Option('--debug', 'show where an error came from'));
}

/** The environment with the flags over it. @throws ConfigError */
export function environmentOf(context: CliContext, options: CommonOptions): EnvironmentSettings {
  const environment = context.readEnvironment();
  return {
    ...environment,
    databaseUrl: options.databaseUrl ?? environment.databaseUrl,
    temporalAddress: options.temporalAddress ?? environment.temporalAddress,
    temporalNamespace: options.namespace ?? environment.temporalNamespace,
    taskQueue: options.taskQueue ?? environment.taskQueue,
    configFolder: options.config ?? environment.configFolder,
  };
}

/** The config, with the model of a development stack that runs here, so that both see the same agents. @throws ConfigError */
export async function loadConfigOf(context: CliContext, options: CommonOptions): Promise<SolidLoopConfig> {
  const { databaseUrl, temporalAddress, dataFolder, configFolder } = environmentOf(context, options);
  const isElsewhere = databaseUrl !== undefined && temporalAddress !== undefined;
  const stack = isElsewhere ? undefined : await context.findStack(dataFolder);
  return context.loadConfig(configFolder, stack?.model && toOffered(stack.model));
}

type StackModel = Pick<ModelEndpoint, 'baseURL' | 'model' | 'isSmall'> & Partial<Pick<ModelEndpoint, 'apiKey'>>;

export const toOffered = ({ model: name, baseURL, apiKey, isSmall }: StackModel): OfferedModel => ({
  ...{ name, baseURL, isSmall },
  ...(apiKey === undefined ? {} : { apiKey }),
});

/** @throws ConfigError where no address is named anywhere */
export async function resolveAddresses(context: CliContext, options: CommonOptions): Promise<Addresses> {
  const environment = environmentOf(context, options);
  const { databaseUrl, temporalAddress, temporalNamespace: namespace, taskQueue } = environment;
  if (databaseUrl !== undefined && temporalAddress !== undefined)
    return { databaseUrl: toPostgresUrl(databaseUrl), temporalAddress, namespace, taskQueue };
  const stack = await context.findStack(environment.dataFolder);
  const config =
    stack === undefined && context.hasConfig(environment.configFolder) ? context.loadConfig(environment.configFolder) : undefined;
  return {
    databaseUrl: toPostgresUrl(
      required(databaseUrl ?? stack?.databaseUrl ?? config?.database?.url, 'database', '--database-url', 'DATABASE_URL'),
    ),
    temporalAddress: required(
      temporalAddress ?? stack?.temporalAddress ?? config?.temporal?.address,
      'Temporal server',
      '--temporal-address',
      'TEMPORAL_ADDRESS',
    ),
    namespace: options.namespace ?? stack?.temporalNamespace ?? config?.temporal?.namespace ?? namespace,
    taskQueue: taskQueue === DEFAULT_TASK_QUEUE ? (config?.temporal?.taskQueue ?? taskQueue) : taskQueue,
  };
}

/** For commands that need no Temporal. @throws ConfigError */
export async function resolveDatabaseUrl(context: CliContext, options: CommonOptions): Promise<string> {
  const environment = environmentOf(context, options);
  if (environment.databaseUrl !== undefined) return toPostgresUrl(environment.databaseUrl);
  const stack = await context.findStack(environment.dataFolder);
  const config =
    stack === undefined && context.hasConfig(environment.configFolder) ? context.loadConfig(environment.configFolder) : undefined;
  return toPostgresUrl(required(stack?.databaseUrl ?? config?.database?.url, 'database', '--database-url', 'DATABASE_URL'));
}

/** What the driver would take for the name of a host. The value is not shown: it may hold a password. */
function toPostgresUrl(text: string): string {
  if (/^postgres(ql)?:\/\//.test(text) && URL.canParse(text)) return text;
  throw new SolidLoopError(
    'ConfigError',
    'the database is not named by a URL: it must look like postgresql://user:password@host:5432/database',
    {
      field: 'DATABASE_URL',
    },
  );
}

function required(value: string | undefined, what: string, flag: string, variable: string): string {
  if (value !== undefined) return value;
  throw new SolidLoopError(
    'ConfigError',
    `no ${what} is named, and no development stack runs here: give ${flag} or ${variable}, or start one with \`solidloop dev\``,
    {
      field: variable,
    },
  );
}
