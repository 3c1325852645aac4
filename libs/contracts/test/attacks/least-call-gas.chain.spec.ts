import type { Address, PrivateKeyAccount } from 'viem';
import {
  configuredAgent,
  depositKeepOneHook,
  executorCall,
  max,
  redeemHook,
  signedOp,
} from '../support/account.js';
import { bundle } from '../support/bundle.js';
import { useTestChain } from '../support/chain.js';
import { deployVault } from '../support/vaults.js';

// minCallGas of agent-client: "With less gas the call fails".
const leastCallGas = 47_000n;

describe('attack: the least call gas that agent-client accepts', () => {
  const chain = useTestChain();
  let vault: Address;
  let wallet: PrivateKeyAccount;
  let bundler: PrivateKeyAccount;
  beforeAll(async () => {
    [wallet, bundler] = [await configuredAgent(chain), await chain.agent()];
    vault = await deployVault(chain);
    await bundle(chain, bundler, [await signedOp(chain, wallet, deposit())]);
  });

  const deposit = () => executorCall(depositKeepOneHook(vault, chain.usdc, 100_000_000n, 1n));
  const redeem = () => executorCall(redeemHook(vault, chain.usdc, max, 1n));

  it.each([
    ['deposit', deposit],
    ['redeem', redeem],
  ])('of the plainest vault, a second %s runs', async (_, callData) => {
    const userOp = await signedOp(chain, wallet, callData(), {}, { call: leastCallGas });
    const { outcomes } = await bundle(chain, bundler, [userOp]);
    expect(outcomes[0]).toMatchObject({ success: true });
  });
});
