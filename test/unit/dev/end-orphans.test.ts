import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { endOrphans } from '../../../src/dev/end-orphans';
import { findProcessIdentity } from '../../../src/util/process-identity';

describe('what a killed start left running', () => {
  let child: ChildProcess;
  const pid = (): number => child.pid ?? 0;

  beforeEach(async () => {
    child = spawn('sleep', ['600']);
    await once(child, 'spawn');
  });
  afterEach(() => void child.kill('SIGKILL'));

  it('is ended, and said', async () => {
    const printed: string[] = [];
    const ended = once(child, 'exit');
    const identity = (await findProcessIdentity(pid())) ?? '';
    await endOrphans([{ name: 'Postgres', pid: pid(), identity }], (line) => printed.push(line));
    expect(await ended).toEqual([null, 'SIGINT']);
    expect(printed).toEqual([`Postgres (process ${pid()}) is left over from a start that was killed: ending it`]);
  });

  it('is left alone if another program has its number by now', async () => {
    await endOrphans([{ name: 'Postgres', pid: pid(), identity: '1 postgres -D data' }], () => undefined);
    expect(await findProcessIdentity(pid())).toContain('sleep 600');
  });
});
