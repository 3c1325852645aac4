import type { UserOperation } from '@yield-vault/protocol';
import { delegationCode } from '@yield-vault/smart-account';
import { startFakeRpc, type FakeRpc } from '@yield-vault/testing';
import { numberToHex, parseGwei } from 'viem';
import { verifyEnvelope, verifyWithNode } from '../../src/index.js';
import { bookOf, otherVault, realDeployment, vault } from '../support/book.js';
import {
  buildExpectations,
  buildPrepared,
  deposit,
  depositPrevious,
  expectedRebalance,
  redeemAll,
  soon,
  wallet,
} from '../support/build-prepared.js';
import { nodeReads } from '../support/node-reads.js';

/** Gas as prepare and Alto set it on a local chain. */
const measured = {
  callGasLimit: 125_956n,
  verificationGasLimit: 69_000n,
  preVerificationGas: 52_513n,
  paymasterVerificationGasLimit: 70_000n,
  paymasterPostOpGasLimit: 40_000n,
};
// A rebalance: its two vaults allow the most gas.
const hooks = [
  { ...redeemAll, minAssets: deposit.minShares },
  { ...depositPrevious, minShares: deposit.minShares },
] as const;
const request = { operation: 'rebalance', vault, targets: [otherVault], asset: 'USDC' } as const;
/** What it uses beside `preVerificationGas`, with the paymaster's own gas. */
const usedGas = 183_000n;
const usedCallGas = 101_000n;
const penaltyThreshold = 40_000n;

const least = (one: bigint, other: bigint) => (one < other ? one : other);

// The service chooses every gas field, its own bundler includes the operation, and the wallet's node tells what is usual.
describe.each([
  {
    chain: 'base',
    chainId: 8453,
    base: parseGwei('0.01'),
    tip: parseGwei('0.001'),
    // 1,500 bytes while Ethereum has a base fee of 2 gwei.
    l1FeeWei: 240_000_000_000n,
    offline: { tip: parseGwei('0.1'), l1FeeWei: 10n ** 13n },
    worst: { node: 6.5, offline: 30 },
  },
  {
    chain: 'ethereum',
    chainId: 1,
    base: parseGwei('2'),
    tip: parseGwei('0.1'),
    l1FeeWei: 0n,
    offline: { tip: parseGwei('3'), l1FeeWei: 0n },
    worst: { node: 6.4, offline: 6.2 },
  },
])(
  'a service on $chain that overcharges for gas',
  ({ chain, chainId, base, tip, l1FeeWei, offline, worst }) => {
    const deployment = realDeployment(chainId);
    const addressBook = bookOf(deployment);
    const gasPrice = base + tip;
    const honest = { ...measured, maxFeePerGas: (base * 3n) / 2n + tip, maxPriorityFeePerGas: tip };
    const build = (operation: Partial<UserOperation>) =>
      buildPrepared({
        deployment,
        hooks: hooks.map((hook) => ({ ...hook, token: deployment.usdc })),
        expiry: soon(),
        operation: { ...honest, ...operation },
      });

    let rpc: FakeRpc;
    beforeAll(async () => {
      rpc = await startFakeRpc({
        eth_chainId: () => numberToHex(chainId),
        eth_getCode: () => delegationCode(deployment.account),
        ...nodeReads(() => ({ gasPrice, l1FeeWei })),
      });
    });
    afterAll(() => rpc.stop());

    const verify = (operation: Partial<UserOperation>) => {
      const options = { wallet, chain, rpc: rpc.rpcUrl, addressBook };
      return verifyWithNode(options, request, build(operation));
    };

    it('default: an honest envelope passes', async () => {
      await expect(verify({})).resolves.toMatchObject({ ok: true });
    });

    it.each<[string, Partial<UserOperation>]>([
      ['90 times the gas', { preVerificationGas: 41_000_000n }],
      ['90 times the fee', { maxFeePerGas: 90n * gasPrice, maxPriorityFeePerGas: 90n * gasPrice }],
      // The leanest vault that was measured needs 39.2k to redeem, and 48k to deposit.
      ['an operation that is certain to fail', { callGasLimit: 77_999n }],
      ['a refund that is certain to fail', { paymasterPostOpGasLimit: 1n }],
    ])('error: VerificationError for %s', async (_, operation) => {
      await expect(verify(operation)).rejects.toMatchObject({ name: 'VerificationError' });
    });

    /** The charge, as entry point and paymaster compute it, in wei. */
    const chargeOf = (operation: typeof honest) => {
      const { preVerificationGas, callGasLimit, paymasterPostOpGasLimit: postOp } = operation;
      const unused = callGasLimit - usedCallGas;
      const penalty = unused > penaltyThreshold ? unused / 10n : 0n;
      const postOpPenalty = postOp > penaltyThreshold ? postOp / 10n : 0n;
      const fee = least(operation.maxFeePerGas, base + operation.maxPriorityFeePerGas);
      return (usedGas + preVerificationGas + penalty + postOpPenalty) * fee;
    };
    const timesHonest = (operation: typeof honest) => Number(chargeOf(operation)) / Number(chargeOf(honest));
    /** The most expensive operation, where the limits allow a tip and an L1 fee. */
    const mostExpensive = (maxPriorityFeePerGas: bigint, l1Fee: bigint) => {
      const maxFeePerGas = base + maxPriorityFeePerGas;
      return {
        ...honest,
        preVerificationGas: 120_000n + l1Fee / maxFeePerGas,
        callGasLimit: 2n * 1_500_000n,
        paymasterPostOpGasLimit: 200_000n,
        maxFeePerGas,
        maxPriorityFeePerGas,
      };
    };

    it(`behavior: with a node nothing costs more than ${worst.node} times an honest envelope`, async () => {
      const operation = mostExpensive((gasPrice * 3n) / 2n, l1FeeWei * 2n);
      await expect(verify(operation)).resolves.toMatchObject({ ok: true });
      expect(timesHonest(operation)).toBeLessThan(worst.node);
    });

    it(`behavior: offline nothing costs more than ${worst.offline} times`, () => {
      const operation = mostExpensive(offline.tip, offline.l1FeeWei);
      const walletCode = delegationCode(deployment.account);
      const expectations = buildExpectations({ chain, walletCode, operation: expectedRebalance });
      expect(verifyEnvelope(build(operation), expectations, { addressBook }).ok).toBe(true);
      expect(timesHonest(operation)).toBeLessThan(worst.offline);
    });
  },
);
