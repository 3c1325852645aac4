import { join } from 'node:path';

// Jest runs plain CommonJS: its ESM mode cannot load NestJS 12 on Node 20 to 24. These ESM-only
// dependencies are therefore compiled on the way in; add a new one here when Jest reports
// "Cannot use import statement outside a module".
const compile = [
  '@nestjs',
  '@electric-sql',
  '@tokenizer',
  'content-disposition',
  'cookie',
  'file-type',
  'kysely',
  'load-esm',
  'p-limit',
  'p-queue',
  'p-timeout',
  'strtok3',
  'token-types',
  'uint8array-extras',
  'yocto-queue',
];
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
const javascript = {
  swcrc: false,
  module: { type: 'commonjs' },
  jsc: { target, parser: { syntax: 'ecmascript' } },
};

export default {
  reporters: ['default', join(import.meta.dirname, 'tools/jest-summary-reporter.cjs')],
  testEnvironment: 'node',
  // The embedded database alone can take 10 s to open while two suites share two cores.
  testTimeout: 60_000,
  // Tests run on the sources of the libraries, so nothing has to be built first.
  testEnvironmentOptions: {
    customExportConditions: ['@yield-vault/source', 'node', 'node-addons'],
  },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': ['$1.js', '$1'] },
  testMatch: ['<rootDir>/{src,test}/**/*.spec.ts'],
  testPathIgnorePatterns: ['/node_modules/', ...(isQuick ? ['\\.full\\.spec\\.ts$'] : [])],
  transform: {
    '^.+\\.ts$': ['@swc/jest', typescript],
    '/node_modules/.+\\.[cm]?js$': ['@swc/jest', javascript],
  },
  transformIgnorePatterns: [`/node_modules/(?!(?:.+/node_modules/)?(?:${compile.join('|')})/)`],
};
