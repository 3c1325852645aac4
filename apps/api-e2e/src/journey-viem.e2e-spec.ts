import { describeJourneys } from '../test/support/journey.js';
import { createViemAgent } from '../test/support/viem-agent.js';

describeJourneys('viem', createViemAgent, [
  { chain: 'ethereum', setup: 'at once' },
  { chain: 'base', setup: 'after a failed initialisation' },
]);
