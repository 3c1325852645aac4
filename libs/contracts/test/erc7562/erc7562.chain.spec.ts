import type { Hash, Hex } from 'viem';
import { updatePaymasterPrice } from '../../src/paymaster-price.js';
import {
  type PackedUserOperation,
  configuredAgent,
  delegatedAgent,
  depositHook,
  executorCall,
  newWallet,
  signedOp,
} from '../support/account.js';
import { handleOps } from '../support/bundle.js';
import { baseForkUrl, localContracts, useTestChain } from '../support/chain.js';
import { sendFirstOperation } from '../support/first-operation.js';
import { placeClockFeed, poke, termsOf, withPermit } from '../support/paymaster.js';
import { deployVault } from '../support/vaults.js';
import { checkTrace } from './check-trace.js';

// With `BASE_FORK_URL` also on a fork of the real Base, with its USDC and its feeds.
const places = [
  ['chain 1', 1, undefined],
  ['chain 8453', 8453, undefined],
  ...(baseForkUrl ? [['a fork of Base', 8453, baseForkUrl] as const] : []),
] as const;

describe.each(places)('ERC-7562 on %s', (_place, chainId, fork) => {
  const chain = useTestChain(chainId, { forkUrl: fork, isTraced: true });
  let deposit: Hex;
  beforeAll(async () => {
    if (!fork) await placeClockFeed(chain);
    deposit = executorCall(depositHook(await deployVault(chain), chain.usdc, 10_000_000n, 1n));
  });

  const expectClean = async (hash: Hash, entities = ['account', 'paymaster']) =>
    expect(await checkTrace(chain, hash)).toEqual({ violations: [], entities });
  const run = async (userOp: PackedUserOperation) => {
    const { receipt, outcome } = await handleOps(chain, userOp);
    expect(outcome.success).toBe(true);
    return receipt.transactionHash;
  };

  it('an operation paid from the allowance', async () => {
    await expectClean(await run(await signedOp(chain, await configuredAgent(chain), deposit)));
  });

  it('an operation paid by a permit', async () => {
    const agent = await delegatedAgent(chain);
    await expectClean(await run(await poke(chain, agent, await withPermit(chain, agent, 20_000_000n))));
  });

  it('the first operation, which delegates', async () => {
    const { receipt } = await sendFirstOperation(chain, await newWallet(chain), deposit, 20_000_000n);
    await expectClean(receipt.transactionHash);
  });

  it('an operation that pays for itself', async () => {
    const userOp = await poke(chain, await configuredAgent(chain), { paymasterAndData: '0x' });
    await expectClean(await run(userOp), ['account']);
  });

  it('behavior: the price can be stored from a feed that reads the clock', async () => {
    await updatePaymasterPrice(chain.wallet, chain.client, localContracts.paymaster);
    const { usdcPerEth } = await termsOf(chain);
    if (fork) expect(usdcPerEth).toBeGreaterThan(0n);
    else expect(usdcPerEth).toBe(2_500_000_000n);
  });
});
