import { createEthersAgent } from '../test/support/ethers-agent.js';
import { describeFlows } from '../test/support/flow.js';

describeFlows('ethers', createEthersAgent, [
  { chain: 'base', setup: 'at once' },
  { chain: 'ethereum', setup: 'after a failed initialisation' },
]);
