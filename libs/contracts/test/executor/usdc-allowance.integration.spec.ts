import { type Address, type Hex, type PrivateKeyAccount, erc20Abi } from 'viem';
import { hostileVaultAbi, hostileVaultBytecode } from '../generated/HostileVault.js';
import { mockVaultAbi, mockVaultBytecode } from '../generated/MockVault.js';
import {
  configuredAgent,
  depositHook,
  executorCall,
  max,
  redeemHook,
  singleCall,
} from '../support/account.js';
import { type TestChain, startTestChain } from '../support/chain.js';
import { sendToSelf } from '../support/modules.js';
import { revertOf } from '../support/reverts.js';
import { encode } from '../support/calls.js';

describe('YieldExecutor: one base unit of USDC stays allowed', () => {
  let chain: TestChain;
  let agent: PrivateKeyAccount;
  let vault: Address;
  beforeAll(async () => {
    chain = await startTestChain();
    vault = await chain.deploy(mockVaultAbi, mockVaultBytecode, [chain.usdc]);
  });
  afterAll(() => chain.stop());
  beforeEach(async () => {
    agent = await configuredAgent(chain, 1_000n);
  });

  const balance = (token: Address) => chain.read(token, erc20Abi, 'balanceOf', [agent.address]);
  const allowance = (spender: Address) =>
    chain.read(chain.usdc, erc20Abi, 'allowance', [agent.address, spender]);
  const run = async (...hooks: readonly Hex[]) => {
    const { status } = await sendToSelf(chain, agent, executorCall(...hooks));
    expect(status).toBe('success');
  };
  const approve = (spender: Address, amount: bigint) =>
    sendToSelf(chain, agent, singleCall(chain.usdc, encode(erc20Abi, 'approve', [spender, amount])));
  const depositOf = (amount: bigint) => depositHook(vault, chain.usdc, amount, 1n);
  /** A vault of USDC that takes `taken` percent of what it is given. */
  const taking = async (taken: bigint, shares = 100n) => {
    const hostile = await chain.deploy(hostileVaultAbi, hostileVaultBytecode, [chain.usdc]);
    await chain.write(hostile, hostileVaultAbi, 'behave', [shares, shares, taken]);
    return hostile;
  };

  it.each([0n, 1n, 2n, 100n, 101n, 102n, max])(
    'default: one after a deposit, when %d was allowed before',
    async (before) => {
      await approve(vault, before);
      await run(depositOf(100n));
      expect([await allowance(vault), await balance(chain.usdc)]).toEqual([1n, 900n]);
    },
  );

  it('behavior: one after every further deposit, of the whole balance too', async () => {
    for (const amount of [100n, 1n, 899n]) {
      await run(depositOf(amount));
      expect(await allowance(vault)).toBe(1n);
    }
    expect(await balance(chain.usdc)).toBe(0n);
  });

  it('behavior: a redeem leaves it as it is', async () => {
    await run(depositOf(100n), redeemHook(vault, chain.usdc, max, 1n));
    expect([await allowance(vault), await balance(chain.usdc)]).toEqual([1n, 1_000n]);
  });

  it('behavior: a deposit of what a redeem brought leaves one to each vault', async () => {
    const target = await chain.deploy(mockVaultAbi, mockVaultBytecode, [chain.usdc]);
    await run(depositOf(500n));
    await run(redeemHook(vault, chain.usdc, max, 1n), depositHook(target, chain.usdc, max, 1n));
    expect([await allowance(vault), await allowance(target)]).toEqual([1n, 1n]);
    expect(await balance(chain.usdc)).toBe(500n);
  });

  it.each([0n, 50n, 99n])('attack: a vault that takes %d of 100 has one left', async (taken) => {
    const hostile = await taking(taken);
    await run(depositHook(hostile, chain.usdc, 100n, 100n));
    expect([await allowance(hostile), await balance(chain.usdc)]).toEqual([1n, 1_000n - taken]);
  });

  it('attack: a vault that takes one more than the amount has nothing left', async () => {
    const hostile = await taking(101n);
    await run(depositHook(hostile, chain.usdc, 100n, 100n));
    expect([await allowance(hostile), await balance(chain.usdc)]).toEqual([0n, 899n]);
  });

  it('attack: a vault takes two more than the amount from nobody', async () => {
    const hostile = await taking(102n);
    const data = executorCall(depositHook(hostile, chain.usdc, 100n, 100n));
    expect(await revertOf(chain, { from: agent.address, to: agent.address, data })).toEqual([
      'Error',
      'ERC20: transfer amount exceeds allowance',
    ]);
  });

  it('attack: a vault that takes the unit in a redeem gets that unit alone', async () => {
    const hostile = await taking(100n);
    await run(depositHook(hostile, chain.usdc, 100n, 100n));
    for (const [amount, expected] of [
      [2n, ['Error', 'ERC20: transfer amount exceeds allowance']],
      [1n, undefined],
    ] as const) {
      const take = encode(erc20Abi, 'transferFrom', [agent.address, hostile, amount]);
      await chain.write(hostile, hostileVaultAbi, 'callBack', [chain.usdc, take]);
      const data = executorCall(redeemHook(hostile, chain.usdc, 100n, 99n));
      if (expected) {
        expect(await revertOf(chain, { from: agent.address, to: agent.address, data })).toEqual(expected);
      } else {
        await run(redeemHook(hostile, chain.usdc, 100n, 99n));
      }
    }
    expect([await allowance(hostile), await balance(chain.usdc)]).toEqual([0n, 999n]);
  });
});
