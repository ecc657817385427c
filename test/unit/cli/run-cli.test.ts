import { EXIT } from '../../../src/cli/render/format-error';
import { SolidLoopError } from '../../../src/domain/errors';
import { type LoopId, toId } from '../../../src/domain/ids';
import type { LoopStatus } from '../../../src/domain/loop';
import { anyLoop } from '../../support/any-loop';
import { FakeCli } from './fake-context';

let cli: FakeCli;
beforeEach(() => {
  cli = new FakeCli();
});

const loopId = toId<LoopId>('7');
const ended = (status: LoopStatus) => ({ type: 'loop', loopId, loop: anyLoop({ status }) }) as const;
const started = { loopId, workflowId: 'loop-7', isNew: true, status: 'init', isLaunched: true };

describe('usage', () => {
  test.each([
    [['lst'], "unknown command 'lst'\n(Did you mean list?)"],
    [['show'], "missing required argument 'loop'"],
    [['list', '--nonsense'], "unknown option '--nonsense'"],
    [['list', '--limit', '0'], "option '--limit <count>' argument '0' is invalid. It must be a whole number above 0."],
    [['list', '--status', 'done'], '"done" is no status; there are: init, queued, running'],
    [['start', 'a', 'b', '--subject', 'order'], 'It must be type:id, for instance order:17.'],
    [['start', 'a', 'b', '--state', '[1]'], 'It must be a JSON object'],
    [['start', 'a', 'b', '--state', '{'], 'It is not JSON'],
    [['tail', '7', '--after', 'x'], 'It must be a whole number.'],
  ])('%j is refused with exit code 64 and one sentence', async (words, sentence) => {
    const typed = await cli.type(...words);
    expect(typed).toMatchObject({ exitCode: EXIT.usage, output: '' });
    expect(typed.errors).toContain(sentence);
    expect(cli.connections).toEqual([]);
  });

  test('help lists every command and exits with 0', async () => {
    const { exitCode, output } = await cli.type('--help');
    expect(exitCode).toBe(0);
    const commands = [
      'dev',
      'run',
      'start',
      'list',
      'show',
      'tail',
      'result',
      'why',
      'pause',
      'resume',
      'steer',
      'edit-message',
      'withdraw-message',
      'stop',
      'freeze',
      'unfreeze',
    ];
    for (const name of [
      ...commands,
      'reopen',
      'retry',
      'set-limits',
      'hide-message',
      'show-message',
      'worker',
      'migrate',
      'setup',
      'reconcile',
      'adopt',
    ]) {
      expect(output).toMatch(new RegExp(`^  ${name} `, 'm'));
    }
  });

  test('an error of the environment names the variable and exits with 78', async () => {
    cli.environment.SOLIDLOOP_POOL_SIZE = 'many';
    expect(await cli.type('list')).toMatchObject({
      exitCode: EXIT.config,
      errors: expect.stringContaining('SOLIDLOOP_POOL_SIZE="many": it must be a whole number above 0') as string,
    });
  });

  test('--version tells the version', async () => {
    expect(await cli.type('--version')).toMatchObject({ exitCode: 0, output: '1.2.3\n' });
  });
});

describe('addresses', () => {
  beforeEach(() => {
    cli.answers.list = async () => [];
  });

  test('a flag wins over the environment', async () => {
    await cli.type('list', '--database-url', 'postgresql://other', '--namespace', 'n', '--task-queue', 'q');
    expect(cli.connections).toEqual([
      { databaseUrl: 'postgresql://other', temporalAddress: 'temporal:7233', namespace: 'n', taskQueue: 'q' },
    ]);
  });

  test('without either, a development stack that runs here is used', async () => {
    cli.environment = {};
    cli.stack = { databaseUrl: 'postgresql://embedded', temporalAddress: '127.0.0.1:1' };
    await cli.type('list');
    expect(cli.connections).toMatchObject([{ databaseUrl: 'postgresql://embedded', temporalAddress: '127.0.0.1:1', namespace: 'default' }]);
  });

  test('a database that is not named by a URL is refused before anything is connected, without its value', async () => {
    cli.environment.DATABASE_URL = 'secret@host/db';
    const { exitCode, errors } = await cli.type('list');
    expect(exitCode).toBe(EXIT.config);
    expect(errors).toBe('✗ the database is not named by a URL: it must look like postgresql://user:password@host:5432/database\n');
    expect(cli.connections).toEqual([]);
  });

  test('beside a development stack, agents are those of its model', async () => {
    cli.environment = {};
    cli.agents = ['assistant', 'librarian'];
    const model = { baseURL: 'http://127.0.0.1:1/v1', model: 'tiny', isSmall: true, note: 'small' };
    cli.stack = { databaseUrl: 'postgresql://embedded', temporalAddress: '127.0.0.1:1', model };
    cli.answers.start = async () => started;
    await cli.type('start', 'librarian', 'hi');
    expect(cli.connections).toMatchObject([{ agents: ['assistant'] }]);
  });

  test('with nothing at all, one sentence says what to give', async () => {
    cli.environment = {};
    const { exitCode, errors } = await cli.type('list');
    expect(exitCode).toBe(EXIT.config);
    expect(errors).toBe(
      '✗ no database is named, and no development stack runs here: give --database-url or DATABASE_URL, or start one with `solidloop dev`\n',
    );
  });
});

describe('reading', () => {
  test('list passes its filters on, and answers JSON for scripts', async () => {
    cli.answers.list = async () => [anyLoop({ title: 'A title' })];
    const { output } = await cli.type(
      'list',
      '--status',
      'running, paused',
      '--agent',
      'helper',
      '--subject',
      'order:1:7',
      '--limit',
      '3',
      '--json',
    );
    expect(cli.calls).toEqual([
      ['list', { status: ['running', 'paused'], agent: 'helper', subject: { type: 'order', id: '1:7' }, limit: 3 }],
    ]);
    expect(JSON.parse(output)).toMatchObject([{ id: '7', title: 'A title' }]);
    expect(cli.closed).toBe(1);
  });

  test.each([
    ['completed', 'It is 42.', 0],
    ['failed', null, 1],
    ['cancelled', null, 2],
    ['running', null, 3],
  ] as const)('R77: the result of a %s loop is its answer alone, and the exit code', async (status, answer, exitCode) => {
    cli.answers.result = async () => ({ loopId, status, answer, errorCode: null, errorMessage: null });
    const typed = await cli.type('result', '7', '--no-wait');
    expect(typed).toMatchObject({ exitCode, output: answer === null ? '' : `${answer}\n` });
    expect(cli.calls).toMatchObject([['result', '7', { wait: false }]]);
  });

  test('an unknown loop is a sentence, exit code 66, and JSON where it was asked for', async () => {
    expect(await cli.type('tail', '404')).toMatchObject({ exitCode: EXIT.notFound, errors: '✗ there is no loop "404"\n' });
    const { errors } = await cli.type('tail', '404', '--json');
    expect(JSON.parse(errors)).toEqual({ error: { code: 'LoopNotFound', message: 'there is no loop "404"' } });
    expect(cli.closed).toBe(2);
  });
});

describe('starting and watching', () => {
  test('start passes everything on, and reads a message from standard input', async () => {
    cli.answers.start = async () => started;
    cli.input = 'What is 17 plus 25?\n';
    const { output } = await cli.type(
      'start',
      'helper',
      '-',
      '--key',
      'k',
      '--title',
      't',
      '--subject',
      'order:1',
      '--state',
      '{"a":1}',
      '--steps',
      '5',
      '--cost-usd',
      '0.50',
    );
    const asked = {
      agent: 'helper',
      message: 'What is 17 plus 25?',
      key: 'k',
      title: 't',
      subject: { type: 'order', id: '1' },
      state: { a: 1 },
      limits: { steps: 5, costUsd: '0.50' },
    };
    expect(cli.calls).toEqual([['start', asked]]);
    expect(output).toBe('✓ loop 7 is started (init, workflow loop-7)\n');
  });

  test('R77: the same start says that it is the same loop', async () => {
    cli.answers.start = async () => ({ ...started, isNew: false, status: 'running' });
    expect((await cli.type('start', 'helper', 'x')).output).toContain('the same start was made before: loop 7');
  });

  test('names of agents are checked where there is a config', async () => {
    cli.answers.start = async () => started;
    cli.agents = ['helper'];
    await cli.type('start', 'helper', 'x');
    expect(cli.connections).toMatchObject([{ agents: ['helper'] }]);
  });

  test('a limit that is no number is told before anything is started', async () => {
    const { exitCode, errors } = await cli.type('start', 'helper', 'x', '--cost-usd', '1,5');
    expect(exitCode).toBe(EXIT.usage);
    expect(errors).toContain('limits.costUsd must be an exact decimal');
    expect(cli.calls).toEqual([]);
  });

  test.each([
    ['completed', 0],
    ['failed', 1],
    ['cancelled', 2],
  ] as const)('run exits with the result of the loop: %s is %d', async (status, exitCode) => {
    cli.answers.start = async () => started;
    cli.streams(ended(status));
    expect((await cli.type('run', 'helper', 'x')).exitCode).toBe(exitCode);
  });

  test('with --json a stream is one line an item', async () => {
    cli.streams(ended('running'), ended('completed'));
    const { output } = await cli.type('tail', '7', '--json', '--after', '3');
    expect(
      output
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { type: string }).type),
    ).toEqual(['loop', 'loop']);
    expect(cli.calls).toMatchObject([['stream', '7', { from: { seq: 3 } }]]);
  });

  test('a terminal is told what is waited for, and nothing of it stays; a pipe never is', async () => {
    cli.streams(ended('running'), ended('completed'));
    expect((await cli.type('tail', '7')).output).not.toContain('\u001b');
    cli.isInteractive = true;
    expect((await cli.type('tail', '7')).output).toContain('running\r\u001b[2K');
  });

  test('Ctrl-C ends the watching, says that the loop goes on, and exits with 130', async () => {
    cli.streams(ended('running'));
    const { exitCode, errors } = await cli.type('tail', '7');
    expect(exitCode).toBe(EXIT.interrupted);
    expect(errors).toContain('no longer watching; loop 7 goes on');
  });
});

describe('control', () => {
  beforeEach(() => {
    cli.answers.control = async () => ({ ok: true, verb: 'pause', status: 'paused', effect: 'paused' });
  });

  test.each([
    [['pause', '7'], { verb: 'pause' }],
    [['pause', '7', '--after-step', '--reason', 'lunch'], { verb: 'pause', when: 'afterStep', reason: 'lunch' }],
    [['resume', '7'], { verb: 'resume' }],
    [['steer', '7', 'Be short.', '--interrupt'], { verb: 'steer', message: 'Be short.', interrupt: true }],
    [['edit-message', '7', '12', 'new'], { verb: 'editMessage', messageId: '12', message: 'new' }],
    [['withdraw-message', '7', '12'], { verb: 'withdrawMessage', messageId: '12' }],
    [['stop', '7', '--children'], { verb: 'stop', children: true }],
    [['freeze', '7', '--reason', 'an incident'], { verb: 'freeze', reason: 'an incident' }],
    [['unfreeze', '7'], { verb: 'unfreeze' }],
    [['reopen', '7', 'And 3 more?'], { verb: 'reopen', message: 'And 3 more?' }],
    [['retry', '7'], { verb: 'retry' }],
    [
      ['set-limits', '7', '--tokens', '1000', '--duration-seconds', '60'],
      { verb: 'setLimits', limits: { tokens: 1000, durationSeconds: 60 } },
    ],
    [['hide-message', '7', '12'], { verb: 'hideMessage', messageId: '12' }],
    [['show-message', '7', '12'], { verb: 'showMessage', messageId: '12' }],
  ])('R74: %j asks for %j, by the user of the terminal', async (words, request) => {
    expect(await cli.type(...words)).toMatchObject({ exitCode: 0, errors: '' });
    expect(cli.calls).toEqual([['control', '7', request, { by: 'ana' }]]);
  });

  test('R74: the key and the sender can be given', async () => {
    await cli.type('pause', '7', '--key', 'k1', '--by', 'the alarm');
    expect(cli.calls).toMatchObject([['control', '7', { verb: 'pause' }, { by: 'the alarm', key: 'k1' }]]);
  });

  test('R64: a refusal is an error with its sentence and exit code 65', async () => {
    cli.answers.control = async () => ({
      ok: false,
      verb: 'resume',
      status: 'paused',
      code: 'LoopFrozen',
      message: 'loop 7 is frozen by ana',
    });
    expect(await cli.type('resume', '7')).toEqual({ exitCode: EXIT.refused, output: '', errors: '✗ loop 7 is frozen by ana\n' });
  });

  test('limits are changed only where one is given', async () => {
    expect(await cli.type('set-limits', '7')).toMatchObject({
      exitCode: EXIT.usage,
      errors: expect.stringContaining('give at least one limit') as string,
    });
  });

  test('a verb needs a loop or a selection, and not both', async () => {
    expect((await cli.type('stop')).errors).toContain('which loop?');
    expect((await cli.type('stop', '7', '--agent', 'helper')).errors).toContain('not both');
    expect(cli.calls).toEqual([]);
  });

  test('all loops of an agent are counted first, and reached with --yes', async () => {
    cli.answers.controlMany = async () => ({ selected: { running: 2, queued: 1 }, results: { cancelled: 3 } });
    const counted = await cli.type('stop', '--agent', 'helper', '--status', 'running,queued');
    expect(counted).toMatchObject({
      exitCode: EXIT.usage,
      output: 'stop would reach 3 loops:\n        2  running\n        1  queued\nnothing was done; --yes does it\n',
    });
    cli.answers.controlMany = async () => ({ selected: {}, results: {} });
    expect(await cli.type('stop', '--agent', 'helper')).toMatchObject({ exitCode: 0, output: 'no loop fits for stop\n' });
    cli.answers.controlMany = async () => ({ selected: { running: 3 }, results: { cancelled: 3 } });
    cli.calls.splice(1);
    const done = await cli.type('stop', '--agent', 'helper', '--yes', '--key', 'k');
    expect(done).toMatchObject({ exitCode: 0, output: '✓ stop reached 3 loops:\n        3  cancelled\n' });
    expect(cli.calls).toEqual([
      ['controlMany', { agent: 'helper', status: ['running', 'queued'] }, { verb: 'stop' }, { by: 'ana', dryRun: true }],
      ['controlMany', { agent: 'helper' }, { verb: 'stop' }, { by: 'ana', key: 'k', dryRun: false }],
    ]);
  });
});

test('a worker gets the addresses of flags and environment, and the config', async () => {
  cli.agents = ['helper'];
  expect(await cli.type('worker', '--task-queue', 'q')).toMatchObject({ exitCode: 0 });
  const environment = { databaseUrl: 'postgresql://db', temporalAddress: 'temporal:7233', temporalNamespace: 'default', taskQueue: 'q' };
  expect(cli.calls).toMatchObject([['runWorker', environment, { agents: [{ name: 'helper' }] }]]);
});

test('an error that nobody foresaw is told as one, with a hint, and closes what was opened', async () => {
  cli.answers.list = async () => {
    throw new TypeError('odd');
  };
  expect(await cli.type('list')).toEqual({
    exitCode: EXIT.internal,
    output: '',
    errors: '✗ odd\n  this was not expected; --debug shows where it came from\n',
  });
  expect((await cli.type('list', '--debug')).errors).toMatch(/TypeError: odd\n +at /);
  expect(cli.closed).toBe(2);
});

test('a server that is away has an exit code of its own', async () => {
  cli.answers.list = async () => {
    throw new SolidLoopError('DatabaseUnavailable', 'the database did not answer');
  };
  expect((await cli.type('list')).exitCode).toBe(EXIT.unavailable);
});
