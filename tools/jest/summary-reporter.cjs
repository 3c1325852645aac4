// Leaves how many tests of a project passed and failed in its coverage folder, where Nx caches it with the result;
// tools/bootstrap/test.mjs adds them up.
const { mkdirSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

const graceMs = 5_000;

module.exports = class JestSummaryReporter {
  constructor(globalConfig) {
    this.folder = join(globalConfig.rootDir, 'coverage');
  }

  onRunComplete(_, { numPassedTests, numFailedTests, numRuntimeErrorTestSuites }) {
    mkdirSync(this.folder, { recursive: true });
    const summary = { passed: numPassedTests, failed: numFailedTests + numRuntimeErrorTestSuites };
    writeFileSync(join(this.folder, 'test-summary.json'), `${JSON.stringify(summary)}\n`);
    // A test that fails may leave a server open, for which Jest would wait without end.
    if (summary.failed > 0) setTimeout(() => process.exit(1), graceMs).unref();
  }
};
