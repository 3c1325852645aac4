import { createEthersAgent } from '../test/support/ethers-agent.js';
import { describeJourneys } from '../test/support/journey.js';

describeJourneys('ethers', createEthersAgent, [
  { chain: 'base', setup: 'at once' },
  { chain: 'ethereum', setup: 'after a failed initialisation' },
]);
