import { type Address, type Hex, type PrivateKeyAccount, erc20Abi, getAddress } from 'viem';
import { walletContracts } from '../../src/address-book.js';
import { yieldRouterAbi } from '../../src/generated/YieldRouter.js';
import { hostileVaultAbi } from '../generated/HostileVault.js';
import { mockTokenAbi } from '../generated/MockToken.js';
import { mockVaultAbi } from '../generated/MockVault.js';
import { usdtLikeTokenAbi, usdtLikeTokenBytecode } from '../generated/UsdtLikeToken.js';
import { allowanceOf, balanceOf, max } from '../support/account.js';
import { encode } from '../support/calls.js';
import { operator, useTestChain } from '../support/chain.js';
import { revertOf } from '../support/reverts.js';
import { deployHostileVault, deployToken, deployVault, letCall, mint } from '../support/vaults.js';

const { router } = walletContracts;

describe('YieldRouter', () => {
  const chain = useTestChain();
  /** A plain wallet: it delegates to nothing. */
  let owner: PrivateKeyAccount;
  let token: Address;
  let vault: Address;
  beforeEach(async () => {
    owner = await chain.agent();
    token = await deployToken(chain);
    vault = await deployVault(chain, token);
    await mint(chain, token, owner.address, 1_000n);
    await approve(token, 1_000n);
  });

  const approve = (asset: Address, amount: bigint, from = owner) =>
    chain.write(asset, erc20Abi, 'approve', [router, amount], from);
  const held = (asset: Address, by: Address = owner.address) => balanceOf(chain, asset, by);
  const depositData = (assets: bigint, minShares: bigint, into = vault, asset = token) =>
    encode(yieldRouterAbi, 'deposit', [into, asset, assets, minShares]);
  const redeemData = (shares: bigint, minAssets: bigint, from = vault, asset = token) =>
    encode(yieldRouterAbi, 'redeem', [from, asset, shares, minAssets]);
  /** Run a call. Afterwards the router holds nothing, and allows the vault nothing. */
  async function run(data: Hex, { from = owner, into = vault, asset = token } = {}) {
    const { status } = await chain.mined(
      chain.walletOf(from).sendTransaction({ to: router, data, gas: 2_000_000n }),
    );
    if (status !== 'success') throw new Error(String(await reverts(data, from)));
    expect([await held(asset, router), await held(into, router)]).toEqual([0n, 0n]);
    expect(await allowanceOf(chain, asset, router, into)).toBe(0n);
  }
  const reverts = (data: Hex, from = owner) => revertOf(chain, { from: from.address, to: router, data });
  const hostile = (behaviour: Parameters<typeof deployHostileVault>[2]) =>
    deployHostileVault(chain, token, behaviour);

  describe('deposit', () => {
    it('default: the caller pays, and gets the shares', async () => {
      await run(depositData(400n, 400n));
      expect([await held(token), await held(vault)]).toEqual([600n, 400n]);
    });

    it('behavior: a USDT-like token', async () => {
      const usdt = await chain.deploy(usdtLikeTokenAbi, usdtLikeTokenBytecode);
      const into = await deployVault(chain, usdt);
      await mint(chain, usdt, owner.address, 200n);
      await approve(usdt, 200n);
      for (let round = 0; round < 2; round++) {
        await run(depositData(100n, 100n, into, usdt), { into, asset: usdt });
      }
      expect(await held(into)).toBe(200n);
    });

    it('error: MinimumIsZero, and MinSharesNotMet with the measured number', async () => {
      expect(await reverts(depositData(400n, 0n))).toEqual(['MinimumIsZero']);
      expect(await reverts(depositData(400n, 401n))).toEqual(['MinSharesNotMet', 401n, 400n]);
    });

    it('attack: a donation before inclusion moves the share price beyond the minimum', async () => {
      await mint(chain, token, operator.address, 1_000n);
      await chain.write(token, mockTokenAbi, 'approve', [vault, max]);
      await chain.write(vault, mockVaultAbi, 'deposit', [1_000n, operator.address]);
      await mint(chain, token, vault, 10n);
      expect(await reverts(depositData(500n, 496n))).toEqual(['MinSharesNotMet', 496n, 495n]);
      await run(depositData(500n, 495n));
    });

    it('attack: a vault that claims more shares than it gives, burns those there were, or gives them to another', async () => {
      const liar = await hostile({ claimed: max, given: 99n });
      expect(await reverts(depositData(100n, 100n, liar))).toEqual(['MinSharesNotMet', 100n, 99n]);
      const burner = await hostile({ given: 500n });
      await mint(chain, burner, owner.address, 1_000n);
      await chain.write(burner, hostileVaultAbi, 'burnHolder', []);
      expect(await reverts(depositData(100n, 1n, burner))).toEqual(['MinSharesNotMet', 1n, 0n]);
      const none = await hostile({ claimed: 100n, given: 0n });
      expect(await reverts(depositData(100n, 1n, none))).toEqual(['MinSharesNotMet', 1n, 0n]);
    });

    it('attack: a fee on transfer: what did not arrive cannot be deposited', async () => {
      await chain.write(token, mockTokenAbi, 'setFee', [100n]);
      expect(await reverts(depositData(1_000n, 1n))).toEqual(['AmountNotMoved', 1_000n, 990n]);
    });

    it.each([0n, 50n, 99n])('attack: a vault that takes %i of 100: nothing stays behind', async (taken) => {
      const lazy = await hostile({ given: 100n, taken });
      expect(await reverts(depositData(100n, 1n, lazy))).toEqual(['AmountNotMoved', 100n, taken]);
    });

    it('attack: a vault that takes more than it was given', async () => {
      // What somebody sent to the router by mistake stays there.
      await mint(chain, token, router, 100n);
      const greedy = await hostile({ given: 100n, taken: 101n });
      const missing = ['ERC20InsufficientAllowance', getAddress(greedy), 100n, 101n];
      expect(await reverts(depositData(100n, 1n, greedy))).toEqual(missing);
    });

    it('attack: a token that keeps allowances, or ignores the approval', async () => {
      await chain.write(token, mockTokenAbi, 'setKeepsAllowance', []);
      await run(depositData(100n, 100n));
      await chain.write(token, mockTokenAbi, 'setIgnoresApprove', []);
      const other = await deployVault(chain, token);
      await run(depositData(100n, 100n, other), { into: other });
    });

    it('attack: another token than the asset of the vault', async () => {
      const other = await deployToken(chain);
      await mint(chain, other, owner.address, 100n);
      await approve(other, 100n);
      const missing = ['ERC20InsufficientAllowance', getAddress(vault), 0n, 100n];
      expect(await reverts(depositData(100n, 1n, vault, other))).toEqual(missing);
    });
  });

  describe('redeem', () => {
    beforeEach(async () => {
      await run(depositData(1_000n, 1_000n));
      await approve(vault, 1_000n);
    });

    it('default: the caller gives the shares, and gets the assets', async () => {
      await run(redeemData(300n, 300n));
      expect([await held(token), await held(vault)]).toEqual([300n, 700n]);
    });

    it('error: MinimumIsZero, and MinAssetsNotMet with the measured number', async () => {
      expect(await reverts(redeemData(300n, 0n))).toEqual(['MinimumIsZero']);
      expect(await reverts(redeemData(300n, 301n))).toEqual(['MinAssetsNotMet', 301n, 300n]);
    });

    it('error: without an allowance of the shares', async () => {
      await approve(vault, 0n);
      const missing = ['ERC20InsufficientAllowance', router, 0n, 300n];
      expect(await reverts(redeemData(300n, 300n))).toEqual(missing);
    });

    it('attack: a vault that claims more assets than it pays, or pays another token', async () => {
      const liar = await hostile({ claimed: max, given: 99n });
      await mint(chain, liar, owner.address, 100n);
      await mint(chain, token, liar, 100n);
      expect(await reverts(redeemData(100n, 100n, liar))).toEqual(['MinAssetsNotMet', 100n, 99n]);
      expect(await reverts(redeemData(100n, 1n, vault, chain.usdc))).toEqual(['MinAssetsNotMet', 1n, 0n]);
    });

    it('attack: a vault that takes assets of the caller in the middle', async () => {
      const thief = await hostile({ given: 50n });
      await mint(chain, thief, owner.address, 100n);
      await mint(chain, token, thief, 50n);
      await mint(chain, token, owner.address, 60n);
      await chain.write(token, erc20Abi, 'approve', [thief, 60n], owner);
      const take = encode(erc20Abi, 'transferFrom', [owner.address, operator.address, 60n]);
      await letCall(chain, thief, token, take);
      expect(await reverts(redeemData(100n, 1n, thief))).toEqual(['MinAssetsNotMet', 1n, 0n]);
    });
  });

  describe('attack: the allowances of others', () => {
    it('a third party spends neither assets nor shares of the owner', async () => {
      const thief = await chain.agent();
      const noBalance = ['ERC20InsufficientAllowance', router, 0n, 100n];
      expect(await reverts(depositData(100n, 100n), thief)).toEqual(noBalance);
      await run(depositData(500n, 500n));
      await approve(vault, 500n);
      expect((await reverts(redeemData(100n, 100n), thief))[0]).toBe('ERC4626ExceededMaxRedeem');
      expect([await held(token), await held(vault)]).toEqual([500n, 500n]);
    });

    it('a vault that calls the router in the middle acts for itself: it gets what was deposited into it, no more', async () => {
      const victim = await hostile({ given: 100n });
      // It redeems the owner's shares of the honest vault, or deposits for the owner, or into itself.
      await run(depositData(500n, 500n));
      await approve(vault, 500n);
      for (const data of [redeemData(500n, 1n), depositData(100n, 1n), depositData(100n, 1n, victim)]) {
        await letCall(chain, victim, router, data);
        expect((await reverts(depositData(100n, 100n, victim)))[0]).toMatch(
          /^ERC(20InsufficientAllowance|4626ExceededMaxRedeem)$/,
        );
      }
      // With assets and an allowance of its own it may deposit, too.
      await mint(chain, token, victim, 100n);
      await letCall(chain, victim, token, encode(erc20Abi, 'approve', [router, 100n]));
      await run(depositData(100n, 100n, victim), { into: victim });
      await letCall(chain, victim, router, depositData(50n, 1n));
      await run(depositData(100n, 100n, victim), { into: victim });
      expect([await held(vault, victim), await held(token)]).toEqual([50n, 300n]);
    });
  });
});
