import { runHook } from '../../../src/agents/run-hook';

describe('runHook', () => {
  afterEach(() => jest.useRealTimers());

  it('R47: tells that a hook is done', async () => {
    await expect(runHook(async () => 'anything', 30)).resolves.toEqual({ kind: 'done' });
    await expect(runHook(() => undefined, 30)).resolves.toEqual({ kind: 'done' });
  });

  it('R47: a hook that throws, at once or later, is an outcome and no error', async () => {
    const atOnce = (): never => {
      throw new Error('no network');
    };

    await expect(runHook(atOnce, 30)).resolves.toEqual({ kind: 'failed', message: 'no network' });
    await expect(runHook(() => Promise.reject(new Error('later')), 30)).resolves.toEqual({ kind: 'failed', message: 'later' });
  });

  it('R47: a hook that does not end has failed at its deadline, and may fail afterwards unheard', async () => {
    jest.useFakeTimers();
    let failLate: (error: Error) => void = () => undefined;
    const outcome = runHook(() => new Promise((_resolve, reject) => (failLate = reject)), 30);

    await jest.advanceTimersByTimeAsync(29_999);
    expect(jest.getTimerCount()).toBe(1);
    await jest.advanceTimersByTimeAsync(1);

    await expect(outcome).resolves.toEqual({ kind: 'failed', message: 'did not end within 30 s' });
    failLate(new Error('too late'));
  });

  it('leaves no timer behind', async () => {
    jest.useFakeTimers();
    await runHook(() => undefined, 30);

    expect(jest.getTimerCount()).toBe(0);
  });
});
