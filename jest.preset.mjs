import { join } from 'node:path';

// `npm test` sets it; every other command runs all lanes.
const isQuick = process.env['TEST_LANE'] === 'quick';
const target = 'es2022';

const typescript = {
  swcrc: false,
  sourceMaps: 'inline',
  module: { type: 'commonjs' },
  jsc: {
    target,
    keepClassNames: true,
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
  },
};
const tools = join(import.meta.dirname, 'tools/jest');

export default {
  reporters: ['default', join(tools, 'summary-reporter.cjs')],
  testEnvironment: join(tools, 'environment.cjs'),
  // The embedded database alone can take 10 s to open while two suites share two cores.
  testTimeout: 60_000,
  // Tests run on the sources of the libraries, so nothing has to be built first.
  testEnvironmentOptions: {
    customExportConditions: ['@yield-vault/source', 'node', 'node-addons'],
  },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': ['$1.js', '$1'] },
  testMatch: ['<rootDir>/{src,test}/**/*.spec.ts'],
  testPathIgnorePatterns: ['/node_modules/', ...(isQuick ? ['\\.full\\.spec\\.ts$'] : [])],
  transform: { '^.+\\.ts$': ['@swc/jest', typescript] },
};
