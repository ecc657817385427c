/** In CI the machine is shared, and a stall of seconds is not a fault of ours: a test that failed is run again, its first failure logged. */

if (process.env.CI !== undefined) jest.retryTimes(2, { logErrorsBeforeRetry: true });
