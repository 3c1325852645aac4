import { type Address, type Hex, type PrivateKeyAccount, erc20Abi } from 'viem';
import { hostileVaultAbi } from '../generated/HostileVault.js';
import {
  allowanceOf,
  approveUsdc,
  configuredAgent,
  depositHook,
  depositKeepOneHook,
  max,
  redeemHook,
} from '../support/account.js';
import { encode } from '../support/calls.js';
import { operator, useTestChain } from '../support/chain.js';
import { hooksRevert, runHooks } from '../support/modules.js';
import { usdcOf } from '../support/paymaster.js';
import { deployHostileVault, deployVault, letCall, mint } from '../support/vaults.js';

const aboveAllowance = ['Error', 'ERC20: transfer amount exceeds allowance'];

describe('YieldExecutor: one base unit stays allowed (0x81)', () => {
  const chain = useTestChain();
  let agent: PrivateKeyAccount;
  let vault: Address;
  beforeAll(async () => {
    vault = await deployVault(chain);
  });
  beforeEach(async () => {
    agent = await configuredAgent(chain, 1_000n);
  });

  const balance = () => usdcOf(chain, agent.address);
  const allowance = (spender: Address) => allowanceOf(chain, chain.usdc, agent.address, spender);
  const run = (...hooks: readonly Hex[]) => runHooks(chain, agent, ...hooks);
  const reverts = (...hooks: readonly Hex[]) => hooksRevert(chain, agent, ...hooks);
  const deposit = (amount: bigint, into = vault) => depositKeepOneHook(into, chain.usdc, amount, 1n);
  const redeem = (shares: bigint, from = vault) => redeemHook(from, chain.usdc, shares, 1n);
  const taking = (taken: bigint) => deployHostileVault(chain, chain.usdc, { taken });
  /** Let a vault take this much of the account in its next call. */
  const letTake = (from: Address, amount: bigint) =>
    letCall(chain, from, chain.usdc, encode(erc20Abi, 'transferFrom', [agent.address, from, amount]));

  it.each([0n, 1n, 101n, max])('default: one after a deposit, when %d was allowed before', async (before) => {
    await approveUsdc(chain, agent, vault, before);
    await run(deposit(100n));
    expect([await allowance(vault), await balance()]).toEqual([1n, 900n]);
  });

  it('behavior: one after every further deposit, of the whole balance too', async () => {
    for (const amount of [100n, 1n, 899n]) {
      await run(deposit(amount));
      expect(await allowance(vault)).toBe(1n);
    }
    expect(await balance()).toBe(0n);
  });

  it('behavior: a plain deposit (0x01) takes the unit back', async () => {
    await run(deposit(100n), depositHook(vault, chain.usdc, 100n, 1n));
    expect([await allowance(vault), await balance()]).toEqual([0n, 800n]);
  });

  it('behavior: a redeem leaves it as it is, and a deposit of its proceeds leaves one to the other vault', async () => {
    const target = await deployVault(chain);
    await run(deposit(500n), redeem(max));
    expect([await allowance(vault), await balance()]).toEqual([1n, 1_000n]);
    await run(deposit(500n), redeem(max), deposit(max, target));
    expect([await allowance(vault), await allowance(target), await balance()]).toEqual([1n, 1n, 500n]);
  });

  it.each([
    [0n, 1n],
    [99n, 1n],
    [101n, 0n],
  ])('attack: a vault that takes %d of 100 has %d left', async (taken, left) => {
    const hostile = await taking(taken);
    await run(deposit(100n, hostile));
    expect([await allowance(hostile), await balance()]).toEqual([left, 1_000n - taken]);
  });

  it('attack: a vault takes one more than the amount in each of eight deposits, and two more in none', async () => {
    const hostile = await taking(101n);
    await run(...Array.from({ length: 8 }, () => deposit(100n, hostile)));
    expect([await allowance(hostile), await balance()]).toEqual([0n, 192n]);
    expect(await reverts(deposit(100n, await taking(102n)))).toEqual(aboveAllowance);
  });

  it('attack: a vault that takes the unit in a redeem gets that unit alone', async () => {
    const hostile = await taking(100n);
    await run(deposit(100n, hostile));
    await letTake(hostile, 2n);
    expect(await reverts(redeem(100n, hostile))).toEqual(aboveAllowance);
    await letTake(hostile, 1n);
    await run(redeem(100n, hostile));
    expect([await allowance(hostile), await balance()]).toEqual([0n, 999n]);
  });

  it('attack: vaults that come back for their unit: one each, however much was donated', async () => {
    const hostile = [await taking(100n), await taking(100n)];
    await run(...hostile.map((each) => deposit(100n, each)));
    await chain.setUsdc(agent.address, 2_000n);
    for (const each of hostile) {
      const take = async (amount: bigint) => {
        await letTake(each, amount);
        const { status } = await chain.mined(
          chain.wallet.sendTransaction({
            to: each,
            // A deposit of nothing, by somebody else.
            data: encode(hostileVaultAbi, 'deposit', [0n, operator.address]),
            gas: 300_000n,
          }),
        );
        return status;
      };
      expect([await take(2n), await take(1n), await take(1n)]).toEqual(['reverted', 'success', 'reverted']);
    }
    expect(await balance()).toBe(1_998n);
  });

  it('attack: a donation in the middle of a redeem counts as brought, and nothing else of the wallet does', async () => {
    const hostile = await deployHostileVault(chain, chain.usdc, { given: 99n });
    await mint(chain, hostile, agent.address, 100n);
    await chain.setUsdc(hostile, 1_000n);
    const hooks = [redeemHook(hostile, chain.usdc, 100n, 100n), deposit(max)] as const;
    expect(await reverts(...hooks)).toEqual(['MinAssetsNotMet', 100n, 99n]);

    const attacker = await configuredAgent(chain, 1n);
    await approveUsdc(chain, attacker, hostile, 1n);
    const donate = encode(erc20Abi, 'transferFrom', [attacker.address, agent.address, 1n]);
    await letCall(chain, hostile, chain.usdc, donate);
    const held = await usdcOf(chain, vault);
    await run(...hooks);
    expect([await balance(), (await usdcOf(chain, vault)) - held]).toEqual([1_000n, 100n]);
  });
});
