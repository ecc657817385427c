/** One configuration: plain CommonJS, no transform of dependencies, one shared stack for all files. */
module.exports = {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest', { jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, sourceMaps: 'inline' }] },
  setupFilesAfterEnv: ['<rootDir>/test/support/retry-in-ci.ts'],
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  modulePathIgnorePatterns: ['<rootDir>/dist'],
  testTimeout: 60_000,
  maxWorkers: 2,
};
