import base from '../../jest.preset.mjs';

export default {
  ...base,
  displayName: 'api-e2e',
  rootDir: import.meta.dirname,
  globalSetup: './test/global-setup.ts',
  globalTeardown: './test/global-teardown.ts',
  // One devnet and two cores for everybody.
  maxWorkers: 1,
};
