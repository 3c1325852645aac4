import fc from 'fast-check';
import {
  type Address,
  type Hex,
  type PrivateKeyAccount,
  bytesToHex,
  erc20Abi,
  hexToBytes,
  numberToHex,
  parseEventLogs,
  slice,
} from 'viem';
import { entryPointV08Abi } from '../src/generated/EntryPointV08.js';
import { intentValidatorAbi } from '../src/generated/IntentValidator.js';
import { usdcPaymasterAbi } from '../src/generated/UsdcPaymaster.js';
import { mockTokenAbi, mockTokenBytecode } from './generated/MockToken.js';
import { mockVaultAbi, mockVaultBytecode } from './generated/MockVault.js';
import {
  buildUserOp,
  configuredAgent,
  depositHook,
  executorCall,
  farFuture,
  handleOps,
  hashUserOp,
  max,
  redeemHook,
  signHash,
  signUserOp,
  singleCall,
  usdcPaymasterAndData,
} from './support/account.js';
import { type TestChain, entryPoint, operator, startTestChain, localContracts } from './support/chain.js';
import { owned, usdcOf } from './support/paymaster.js';

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

  it.each([
    ['USDC', 1n],
    ['another token', 0n],
  ])('YieldExecutor: minimum and allowance hold at every price of %s', async (name, kept) => {
    const token = name === 'USDC' ? chain.usdc : await chain.deploy(mockTokenAbi, mockTokenBytecode);
    const vault = await chain.deploy(mockVaultAbi, mockVaultBytecode, [token]);
    const wallet = chain.wallet;
    const balance = (address: Address, owner: Address = agent.address) =>
      chain.read(address, erc20Abi, 'balanceOf', [owner]);
    const mint = async (to: Address, amount: bigint) =>
      name === 'USDC'
        ? chain.setUsdc(to, (await balance(token, to)) + amount)
        : chain.write(token, mockTokenAbi, 'mint', [to, amount]);
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
    let deposited = false;
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
        // A revert brings nothing to change; the first deposit that runs leaves the unit.
        deposited ||= status === 'success' && deposit;
        expect(allowance).toBe(deposited ? kept : 0n);
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

  it('UsdcPaymaster: without markup it never charges less than the entry point bills, whatever the limits', async () => {
    await owned(chain, 'setMarkup', [0]);
    await owned(chain, 'setOperationCeiling', [2n ** 64n - 1n]);
    await chain.setUsdc(agent.address, 10n ** 12n);
    await chain.write(chain.usdc, erc20Abi, 'approve', [localContracts.paymaster, 10n ** 12n], agent);
    const deposit = () => chain.read(entryPoint, entryPointV08Abi, 'balanceOf', [localContracts.paymaster]);
    const limits = fc.record({
      // Too little for `postOp`, enough for the refund, enough for the refresh.
      postOp: fc.oneof(fc.bigInt(0n, 35_000n), fc.bigInt(35_000n, 99_999n), fc.bigInt(100_000n, 600_000n)),
      call: fc.bigInt(21_000n, 900_000n),
      verification: fc.bigInt(80_000n, 400_000n),
      due: fc.boolean(),
    });
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(limits, async ({ postOp, call, verification, due }) => {
        await chain.write(localContracts.paymaster, usdcPaymasterAbi, 'updatePrice');
        const [rate] = await chain.read(localContracts.paymaster, usdcPaymasterAbi, 'tokenPerNative');
        if (due) await chain.node.increaseTime({ seconds: 1_000 });
        const [usdc, wei] = [await usdcOf(chain, localContracts.paymaster), await deposit()];
        const userOp = await buildUserOp(
          chain,
          agent.address,
          singleCall(operator.address, '0x', 1n),
          { paymasterAndData: usdcPaymasterAndData(120_000n, postOp) },
          { call, verification },
        );
        const { events, receipt } = await handleOps(chain, await signUserOp(chain, agent, userOp));
        const paid = (await usdcOf(chain, localContracts.paymaster)) - usdc;
        const billed = wei - (await deposit());
        expect(paid * 10n ** 18n).toBeGreaterThanOrEqual(billed * rate);
        const failed = events.some(({ eventName }) => eventName === 'PostOpRevertReason');
        const logs = parseEventLogs({ abi: usdcPaymasterAbi, logs: receipt.logs });
        const refreshed = logs.some(({ eventName }) => eventName === 'PriceUpdated');
        seen.add(failed ? 'postOp failed' : refreshed ? 'refreshed' : 'refunded');
      }),
      { numRuns: 60 },
    );
    expect([...seen].sort()).toEqual(['postOp failed', 'refreshed', 'refunded']);
  });
});
