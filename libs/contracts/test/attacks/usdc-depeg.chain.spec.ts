import { configuredAgent } from '../support/account.js';
import { bundle } from '../support/bundle.js';
import { mineAt, useTestChain } from '../support/chain.js';
import { poke, setFeed, termsOf, usdcUsdFeed } from '../support/paymaster.js';

describe('attack: a holder of USDC wants to leave while it is worth 88 cents, as on 11 March 2023', () => {
  const chain = useTestChain();

  it('its operation is paid in USDC, at a higher price', async () => {
    const wallet = await configuredAgent(chain);
    const bundler = await chain.agent();
    // `updatePrice` reverts with PaymasterAnswerRejected, and the operation with AA32.
    await setFeed(chain, usdcUsdFeed(chain), 88_000_000n);
    await mineAt(chain, BigInt((await termsOf(chain)).validUntil) + 1n);
    const userOp = await poke(chain, wallet);
    expect((await bundle(chain, bundler, [userOp])).receipt.status).toBe('success');
  });
});
