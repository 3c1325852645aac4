import type { Hash, Hex } from 'viem';
import { updatePaymasterPrice } from '../../src/paymaster-price.js';
import {
  type PackedUserOperation,
  approveHook,
  configuredAgent,
  depositKeepOneHook,
  executorCall,
  newWallet,
  signedOp,
} from '../support/account.js';
import { bundle, handleOps } from '../support/bundle.js';
import { baseForkUrl, operator, undone, useTestChain } from '../support/chain.js';
import { sendFirstOperation } from '../support/first-operation.js';
import { placeClockFeed, poke, termsOf } from '../support/paymaster.js';
import { deployVault } from '../support/vaults.js';
import { checkLimits, compareValidations, readPhases } from './check-limits.js';
import { checkTrace } from './check-trace.js';

// With `BASE_FORK_URL` also on a fork of the real Base, with its USDC and its feeds.
const places = [
  ['chain 1', 1, undefined],
  ['chain 8453', 8453, undefined],
  ...(baseForkUrl ? [['a fork of Base', 8453, baseForkUrl] as const] : []),
] as const;

// As LIM-070 wants it: the bytes of the operation, and 50,000.
const ample = { preVerificationGas: 75_000n };

describe.each(places)('ERC-7562 on %s', (_place, chainId, fork) => {
  const chain = useTestChain(chainId, { forkUrl: fork, isTraced: true });
  let deposit: Hex;
  beforeAll(async () => {
    if (!fork) await placeClockFeed(chain);
    const vault = await deployVault(chain);
    deposit = executorCall(
      approveHook(operator.address, chain.usdc, 1n),
      depositKeepOneHook(vault, chain.usdc, 10_000_000n, 1n),
    );
  });

  const expectClean = async (hash: Hash, entities = ['account', 'paymaster']) => {
    expect(await checkTrace(chain, hash)).toEqual({ violations: [], entities });
    expect(await checkLimits(chain, hash)).toEqual([]);
  };
  const run = async (userOp: PackedUserOperation) => {
    const { receipt, outcome } = await handleOps(chain, userOp);
    expect(outcome.success).toBe(true);
    return receipt.transactionHash;
  };

  it('an operation that pays for gas in USDC', async () => {
    await expectClean(await run(await signedOp(chain, await configuredAgent(chain), deposit, ample)));
  });

  it('the first operation, which delegates', async () => {
    const { receipt, outcome } = await sendFirstOperation(chain, await newWallet(chain), deposit, ample);
    expect(outcome?.success).toBe(true);
    await expectClean(receipt.transactionHash);
  });

  it('an operation that pays for itself', async () => {
    const userOp = await poke(chain, await configuredAgent(chain), { ...ample, paymasterAndData: '0x' });
    await expectClean(await run(userOp), ['account']);
  });

  it('the second operation of a bundle, compared with its simulation', async () => {
    const [first, second] = await Promise.all([configuredAgent(chain), configuredAgent(chain)]);
    const userOps = [
      await signedOp(chain, first, deposit, ample),
      await signedOp(chain, second, deposit, ample),
    ];
    const alone = await undone(chain, async () => readPhases(chain, await run(userOps[1]!)));
    const { receipt } = await bundle(chain, operator, userOps);
    const together = (await readPhases(chain, receipt.transactionHash)).slice(2);
    // Its paymaster touches what the first operation has warmed. See docs/fuzz.md.
    expect(compareValidations(alone, together)).toEqual(['EREP-070']);
    expect(await checkLimits(chain, receipt.transactionHash)).toEqual([]);
  });

  it('behavior: the price can be stored from a feed that reads the clock', async () => {
    await updatePaymasterPrice(chain.wallet, chain.client, chain.paymaster);
    const { usdcPerNative } = await termsOf(chain);
    if (fork) expect(usdcPerNative).toBeGreaterThan(0n);
    else expect(usdcPerNative).toBe(2_500_000_000n);
  });
});
