import fc from 'fast-check';
import {
  type Address,
  type Hex,
  type PrivateKeyAccount,
  bytesToHex,
  erc20Abi,
  hexToBytes,
  numberToHex,
  slice,
} from 'viem';
import { intentValidatorAbi } from '../src/generated/IntentValidator.js';
import { mockTokenAbi, mockTokenBytecode } from './generated/MockToken.js';
import { mockVaultAbi, mockVaultBytecode } from './generated/MockVault.js';
import {
  buildUserOp,
  configuredAgent,
  depositHook,
  executorCall,
  farFuture,
  hashUserOp,
  max,
  redeemHook,
  signHash,
} from './support/account.js';
import { type TestChain, operator, startTestChain, localContracts } from './support/chain.js';

describe('properties', () => {
  let chain: TestChain;
  let agent: PrivateKeyAccount;
  beforeAll(async () => {
    chain = await startTestChain();
    agent = await configuredAgent(chain);
  });
  afterAll(() => chain.stop());

  it('IntentValidator: no changed bit of signature, proof, window or hash is ever accepted', async () => {
    const userOp = await buildUserOp(chain, agent.address, '0x');
    const hash = await hashUserOp(chain, userOp);
    const proof = [numberToHex(1, { size: 32 }), numberToHex(2, { size: 32 })];
    const signature = await signHash(chain, agent, hash, { expiry: farFuture, validAfter: 9, proof });
    const validate = (candidate: Hex, asked: Hex) =>
      chain.read(localContracts.validator, intentValidatorAbi, 'validateUserOp', [
        { ...userOp, signature: candidate },
        asked,
      ]);
    const flip = (hex: Hex, bit: number): Hex => {
      const bytes = hexToBytes(hex);
      bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      return bytesToHex(bytes);
    };

    expect(await validate(signature, hash)).not.toBe(1n);
    const bits = ((signature.length - 2) / 2) * 8;
    await fc.assert(
      fc.asyncProperty(fc.nat(bits - 1), async (bit) => {
        expect(await validate(flip(signature, bit), hash)).toBe(1n);
      }),
      { numRuns: 150 },
    );
    await fc.assert(
      fc.asyncProperty(fc.nat(255), async (bit) => {
        expect(await validate(signature, flip(hash, bit))).toBe(1n);
      }),
      { numRuns: 50 },
    );
    // Neither is a part of the proof left out, nor one added.
    expect(await validate(slice(signature, 0, 77 + 32), hash)).toBe(1n);
  });

  it('YieldExecutor: minimum and allowance hold at every price', async () => {
    const token = await chain.deploy(mockTokenAbi, mockTokenBytecode);
    const vault = await chain.deploy(mockVaultAbi, mockVaultBytecode, [token]);
    const wallet = chain.wallet;
    const mint = (to: Address, amount: bigint) =>
      chain.mined(
        wallet.writeContract({ address: token, abi: mockTokenAbi, functionName: 'mint', args: [to, amount] }),
      );
    const balance = (address: Address) => chain.read(address, erc20Abi, 'balanceOf', [agent.address]);
    await mint(agent.address, 10n ** 12n);
    await mint(operator.address, 10n ** 13n);
    for (const [address, functionName, args] of [
      [token, 'approve', [vault, max]],
      [vault, 'deposit', [10n ** 12n, operator.address]],
      // So that there is something to redeem.
      [vault, 'deposit', [10n ** 10n, agent.address]],
    ] as const) {
      await chain.mined(wallet.writeContract({ address, abi: mockVaultAbi, functionName, args } as never));
    }

    const step = fc.record({
      deposit: fc.boolean(),
      amount: fc.bigInt(1_000n, 10n ** 9n),
      // How far the signed minimum lies from the quote, and how far a donation moves the price after it.
      slippageBps: fc.bigInt(-100n, 300n),
      donationBps: fc.bigInt(0n, 200n),
    });
    const outcomes = new Set<string>();
    await fc.assert(
      fc.asyncProperty(step, async ({ deposit, amount, slippageBps, donationBps }) => {
        const read = (functionName: 'previewDeposit' | 'previewRedeem' | 'totalAssets') =>
          chain.client.readContract({
            address: vault,
            abi: mockVaultAbi,
            functionName,
            args: functionName === 'totalAssets' ? [] : [amount],
          } as never) as Promise<bigint>;
        const quoted = await read(deposit ? 'previewDeposit' : 'previewRedeem');
        const least = (quoted * (10_000n - slippageBps)) / 10_000n;
        const minimum = least > 0n ? least : 1n;
        await mint(vault, ((await read('totalAssets')) * donationBps) / 10_000n);
        const before = { assets: await balance(token), shares: await balance(vault) };
        const hook = deposit
          ? depositHook(vault, token, amount, minimum)
          : redeemHook(vault, token, amount, minimum);
        const { status } = await chain.mined(
          chain
            .walletOf(agent)
            .sendTransaction({ to: agent.address, data: executorCall(hook), gas: 1_000_000n }),
        );
        const after = { assets: await balance(token), shares: await balance(vault) };

        outcomes.add(`${status} ${deposit ? 'deposit' : 'redeem'}`);
        if (status === 'reverted') expect(after).toEqual(before);
        else if (deposit) {
          expect(after.shares - before.shares).toBeGreaterThanOrEqual(minimum);
          expect(before.assets - after.assets).toBe(amount);
        } else {
          expect(before.shares - after.shares).toBe(amount);
          expect(after.assets - before.assets).toBeGreaterThanOrEqual(minimum);
        }
        const allowance = await chain.read(token, erc20Abi, 'allowance', [agent.address, vault]);
        expect(allowance).toBe(0n);
      }),
      { numRuns: 100 },
    );
    // The generator reaches both sides of the bound.
    expect([...outcomes].sort()).toEqual([
      'reverted deposit',
      'reverted redeem',
      'success deposit',
      'success redeem',
    ]);
  });
});
