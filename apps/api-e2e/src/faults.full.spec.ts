import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDepositor, createGaslessDepositor } from '../test/faults/deposit.js';
import { describeFaults } from '../test/faults/describe-faults.js';
import { reportRun } from '../test/faults/report-run.js';

// `npm run faults -w apps/api-e2e` runs twenty rounds and writes a report.
const rounds = Number(process.env['FAULT_ROUNDS'] ?? 1);
const reportFile = process.env['FAULT_REPORT'];

describeFaults('kills and faults of execute', {
  rounds,
  createDepositor,
  spoilsUpstreams: true,
  expirySeconds: 40,
  lapsesLeases: false,
  onEnd: (run, judgement) => {
    const report = reportRun(run, judgement, rounds);
    process.stdout.write(`${report}\n`);
    if (reportFile) writeFileSync(join(__dirname, '../../..', reportFile), report);
  },
});

describeFaults('kills of a deposit that sets its wallet up', {
  rounds: 1,
  createDepositor: createGaslessDepositor,
  spoilsUpstreams: false,
  expirySeconds: 20,
  lapsesLeases: true,
});
