import { bodies } from './bodies.js';
import { discover } from './discover.js';
import { execute } from './execute.js';
import { fleet } from './fleet.js';
import { forged } from './forged.js';
import { gas } from './gas.js';
import { payments } from './payments.js';
import { preflight } from './preflight.js';
import { prepare } from './prepare.js';
import { recompute } from './recompute.js';
import { sample } from './sample.js';
import { status } from './status.js';

export const benchmarks = {
  gas,
  prepare,
  preflight,
  execute,
  discover,
  bodies,
  payments,
  forged,
  sample,
  recompute,
  status,
  fleet,
};
