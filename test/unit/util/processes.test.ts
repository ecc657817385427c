import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClosingList } from '../../../src/util/closing-list';
import { startProcess } from '../../../src/util/managed-process';
import { findProcessIdentity } from '../../../src/util/process-identity';
import { runProcess } from '../../../src/util/run-process';
import { runTogether } from '../../../src/util/run-together';
import { waitUntil, WaitTimeout } from '../../../src/util/wait-until';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder';

describe('waitUntil', () => {
  it('answers the first value, and asks until then', async () => {
    let asked = 0;
    expect(await waitUntil(() => (++asked === 3 ? 'yes' : undefined), { timeoutMs: 5000, what: 'it' })).toBe('yes');
    expect(asked).toBe(3);
  });

  it('says what did not happen', async () => {
    await expect(waitUntil(() => false, { timeoutMs: 20, what: 'the start' })).rejects.toThrow(
      new WaitTimeout('the start did not happen within 20 ms'),
    );
  });

  it('gives up with the reason of the abort, also in the middle of a pause', async () => {
    const controller = new AbortController();
    const waiting = waitUntil(() => false, { timeoutMs: 60_000, what: 'it', signal: controller.signal });
    const reason = new Error('enough');
    setImmediate(() => controller.abort(reason));
    await expect(waiting).rejects.toBe(reason);
  });
});

describe('runTogether', () => {
  it('answers all values in order', async () => {
    const values = await runTogether<[number, string]>([async () => 1, async () => 'b'], new AbortController().signal);
    expect(values).toEqual([1, 'b']);
  });

  it('aborts the others at the first failure and tells it only when they have ended', async () => {
    let hasEnded = false;
    const patient = (signal: AbortSignal): Promise<void> =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          hasEnded = true;
          resolve();
        });
      });
    const failing = async (): Promise<void> => {
      throw new Error('first');
    };
    await expect(runTogether([patient, failing], new AbortController().signal)).rejects.toThrow('first');
    expect(hasEnded).toBe(true);
  });
});

describe('a closing list', () => {
  it('closes in reverse, once, and everything even if some of it fails', async () => {
    const closed: string[] = [];
    const list = createClosingList();
    list.add(async () => void closed.push('first'));
    list.add(() => Promise.reject(new Error('stuck')));
    list.add(async () => void closed.push('last'));
    await expect(list.close()).rejects.toThrow('1 of the things that were open could not be closed');
    await expect(list.close()).rejects.toBeInstanceOf(AggregateError);
    expect(closed).toEqual(['last', 'first']);
  });
});

describe('runProcess', () => {
  it('answers exit code and output', async () => {
    expect(await runProcess('sh', ['-c', 'echo out; echo err >&2; exit 3'])).toEqual({ exitCode: 3, stdout: 'out\n', stderr: 'err\n' });
  });

  it('a missing program is a value', async () => {
    expect(await runProcess('/nowhere/program', [])).toEqual({ exitCode: undefined, stdout: '', stderr: 'spawn /nowhere/program ENOENT' });
  });

  it('is killed by an abort', async () => {
    const reason = new Error('enough');
    const running = runProcess('sleep', ['600'], { signal: AbortSignal.abort(reason) });
    await expect(running).rejects.toBe(reason);
  });
});

describe('a managed process', () => {
  let folder: TemporaryFolder;
  beforeEach(() => (folder = createTemporaryFolder()));
  afterEach(() => folder.remove());

  const start = (script: string, stopTimeoutMs = 10_000): ReturnType<typeof startProcess> =>
    startProcess({ command: 'sh', args: ['-c', script], logFile: join(folder.path, 'log'), stopSignal: 'SIGTERM', stopTimeoutMs });

  it('writes its output to its log, and is asked to end', async () => {
    const child = await start('echo started; exec sleep 600');
    await waitUntil(() => readFileSync(child.logFile, 'utf8') === 'started\n', { timeoutMs: 5000, what: 'its output' });
    await child.stop();
    expect(child.end()).toEqual({ code: null, signal: 'SIGTERM' });
  });

  it('is killed with all that it started if it does not end', async () => {
    const child = await start('trap "" TERM; sleep 600 & echo $!; wait; wait', 50);
    const grandchild = await waitUntil(() => Number(readFileSync(child.logFile, 'utf8')) || undefined, {
      timeoutMs: 5000,
      what: 'its output',
    });
    await child.stop();
    expect(child.end()).toEqual({ code: null, signal: 'SIGKILL' });
    await waitUntil(async () => (await findProcessIdentity(grandchild)) === undefined, {
      timeoutMs: 5000,
      what: 'the end of the grandchild',
    });
  });

  it('tells an end that nobody asked for', async () => {
    const child = await start('read line');
    const ended = new Promise<void>((resolve) => child.onUnexpectedEnd(resolve));
    process.kill(child.pid, 'SIGKILL');
    await ended;
    expect(child.end()).toEqual({ code: null, signal: 'SIGKILL' });
  });

  it('that cannot be started is an error', async () => {
    await expect(
      startProcess({ command: '/nowhere', args: [], logFile: join(folder.path, 'log'), stopSignal: 'SIGTERM', stopTimeoutMs: 1 }),
    ).rejects.toThrow('ENOENT');
  });
});
