import { describeFlows } from '../test/support/flow.js';
import { createViemAgent } from '../test/support/viem-agent.js';

describeFlows('viem', createViemAgent, [
  { chain: 'ethereum', setup: 'at once' },
  { chain: 'base', setup: 'after a failed initialisation' },
]);
