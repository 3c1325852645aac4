import { createDepositor } from '../test/faults/deposit.js';
import { describeFaults } from '../test/faults/describe-faults.js';

describeFaults('kills of execute', {
  rounds: 1,
  createDepositor,
  spoilsUpstreams: false,
  expirySeconds: 20,
  lapsesLeases: true,
});
