import { describeDrain } from '../support/describe-drain.js';

describeDrain(8453, [
  [20, '0.001'],
  [20, '1'],
  [20, '100'],
]);
