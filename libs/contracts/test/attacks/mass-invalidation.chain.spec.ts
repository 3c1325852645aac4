import type { PrivateKeyAccount } from 'viem';
import { usdcPaymasterAbi } from '../../src/generated/UsdcPaymaster.js';
import { paymasterCharge } from '../../src/paymaster-cost.js';
import { type PackedUserOperation, configuredAgent, granting } from '../support/account.js';
import { ethUsd, useTestChain } from '../support/chain.js';
import { handleOpsRevert } from '../support/reverts.js';
import { poke, rateOf, setFeed } from '../support/paymaster.js';

const count = 20;

describe('attack: many operations with grants of exactly the prefund, and one update of the price', () => {
  const chain = useTestChain();
  let attackers: PrivateKeyAccount[];
  beforeAll(async () => {
    attackers = await Promise.all(Array.from({ length: count }, () => configuredAgent(chain, 10_000_000n)));
  });

  it('one transaction of a stranger makes at most one valid operation invalid', async () => {
    const gas = 150_000n + 300_000n + 60_000n + 120_000n + 40_000n;
    const exact = paymasterCharge({
      tokenPerNative: await rateOf(chain),
      gas,
      feePerGas: 3_000_000_000n,
      postOpGasLimit: 40_000n,
    });
    const userOps: PackedUserOperation[] = [];
    for (const one of attackers) userOps.push(await poke(chain, one, granting(exact)));
    // A thousandth of a per cent: less than any round of the feed.
    await setFeed(chain, chain.feed, ethUsd + ethUsd / 100_000n);
    // 53,412 gas.
    await chain.write(chain.paymaster, usdcPaymasterAbi, 'updatePrice');
    const reasons: unknown[] = [];
    for (const userOp of userOps) reasons.push((await handleOpsRevert(chain, userOp))[0]);
    const refused = reasons.filter((reason) => reason === 'AA34 signature error').length;
    expect(refused).toBeLessThanOrEqual(1);
  });
});
