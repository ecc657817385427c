import { createLogger, toTemporalLogger, type LogOptions } from '../../../src/events/log';

function capture(options: LogOptions = {}) {
  const lines: string[] = [];
  const logger = createLogger({ ...options, destination: { write: (line) => lines.push(line) } });
  return { logger, lines, last: () => JSON.parse(lines.at(-1) ?? '{}') as Record<string, unknown> };
}

test.each(['apiKey', 'authorization', 'x-api-key', 'mcp-session-id', 'databaseUrl'])(
  'R42: the field %s is left out of the log at the top and below',
  (field) => {
    const { logger, lines } = capture();
    logger.info({ [field]: 'hidden-value', model: { [field]: 'hidden-value', headers: { [field]: 'hidden-value' } } }, 'told');
    expect(lines.join('')).not.toContain('hidden-value');
    expect(lines.join('').match(/\[redacted\]/g)).toHaveLength(3);
  },
);

test('R43: fields of the loop are fields of the line', () => {
  const { logger, last } = capture();
  logger.warn({ loopId: '7', turnNumber: 2 }, 'wire log failed');
  expect(last()).toMatchObject({ loopId: '7', turnNumber: 2, msg: 'wire log failed', level: 40 });
});

test('lines of the Temporal runtime come through with level, fields and error', () => {
  const { logger, lines, last } = capture({ level: 'trace' });
  const bridge = toTemporalLogger(logger);
  bridge.log('WARN', 'slow', { taskQueue: 'solidloop', attempt: 3n, [Symbol('origin')]: 'core' });
  expect(last()).toMatchObject({ level: 40, msg: 'slow', taskQueue: 'solidloop', attempt: '3' });
  bridge.error('broken', { error: new Error('why') });
  expect(last()).toMatchObject({ level: 50, msg: 'broken', err: { message: 'why' } });
  for (const level of ['trace', 'debug', 'info'] as const) bridge[level](level);
  expect(lines).toHaveLength(5);
});
