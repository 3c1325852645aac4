import { type Address, type Hex, type PrivateKeyAccount, erc20Abi, getAddress, zeroAddress } from 'viem';
import { hostileVaultAbi } from '../generated/HostileVault.js';
import { mockTokenAbi } from '../generated/MockToken.js';
import { mockVaultAbi } from '../generated/MockVault.js';
import { usdtLikeTokenAbi, usdtLikeTokenBytecode } from '../generated/UsdtLikeToken.js';
import {
  allowanceOf,
  approveHook,
  balanceOf,
  configuredAgent,
  depositHook,
  max,
  redeemHook,
  singleCall,
} from '../support/account.js';
import { encode } from '../support/calls.js';
import { localContracts, operator, useTestChain } from '../support/chain.js';
import { hooksRevert, runHooks, sendToSelf } from '../support/modules.js';
import { deployHostileVault, deployToken, deployVault, mint } from '../support/vaults.js';

describe('YieldExecutor: vault hooks', () => {
  const chain = useTestChain();
  let agent: PrivateKeyAccount;
  let token: Address;
  let vault: Address;
  beforeEach(async () => {
    agent = await configuredAgent(chain);
    token = await deployToken(chain);
    vault = await deployVault(chain, token);
    await mint(chain, token, agent.address, 1_000n);
  });

  const balance = (address: Address) => balanceOf(chain, address, agent.address);
  const allowance = (address: Address, spender: Address) =>
    allowanceOf(chain, address, agent.address, spender);
  const run = (...hooks: readonly Hex[]) => runHooks(chain, agent, ...hooks);
  const reverts = (...hooks: readonly Hex[]) => hooksRevert(chain, agent, ...hooks);
  const hostile = (behaviour: Parameters<typeof deployHostileVault>[2]) =>
    deployHostileVault(chain, token, behaviour);
  const deposit = (amount: bigint, minimum: bigint, into = vault) =>
    depositHook(into, token, amount, minimum);
  const redeem = (shares: bigint, minimum: bigint, from = vault) => redeemHook(from, token, shares, minimum);
  /** Somebody else has shares, and gives assets to the vault. */
  const donateAfter = async (deposited: bigint, donated: bigint) => {
    await mint(chain, token, operator.address, deposited);
    await chain.write(token, mockTokenAbi, 'approve', [vault, max]);
    await chain.write(vault, mockVaultAbi, 'deposit', [deposited, operator.address]);
    await mint(chain, token, vault, donated);
  };

  describe('deposit', () => {
    it('default', async () => {
      await run(deposit(400n, 400n));
      expect([await balance(vault), await balance(token)]).toEqual([400n, 600n]);
      expect(await allowance(token, vault)).toBe(0n);
    });

    it('behavior: a left-over allowance is replaced and ends at zero, on a USDT-like token too', async () => {
      const usdt = await chain.deploy(usdtLikeTokenAbi, usdtLikeTokenBytecode);
      const usdtVault = await deployVault(chain, usdt);
      await mint(chain, usdt, agent.address, 1_000n);
      await sendToSelf(chain, agent, singleCall(usdt, encode(erc20Abi, 'approve', [usdtVault, 7n])));
      expect(await allowance(usdt, usdtVault)).toBe(7n);
      await run(depositHook(usdtVault, usdt, 100n, 100n));
      expect([await balance(usdtVault), await allowance(usdt, usdtVault)]).toEqual([100n, 0n]);
      await run(depositHook(usdtVault, usdt, 100n, 100n));
    });

    it('behavior: the allowance is taken back when the vault takes less, or the token does not spend it', async () => {
      const greedless = await hostile({ given: 50n, taken: 50n });
      await run(deposit(100n, 50n, greedless));
      expect([await allowance(token, greedless), await balance(token)]).toEqual([0n, 950n]);
      await chain.write(token, mockTokenAbi, 'setKeepsAllowance', []);
      await run(deposit(100n, 100n));
      expect(await allowance(token, vault)).toBe(0n);
    });

    it('attack: a fee-on-transfer asset brings fewer shares than the minimum', async () => {
      await chain.write(token, mockTokenAbi, 'setFee', [100n]);
      // A vault that credits what arrived: 1 % less than was sent.
      const feeVault = await hostile({ claimed: 1_000n, given: 990n });
      expect(await reverts(deposit(1_000n, 991n, feeVault))).toEqual(['MinSharesNotMet', 991n, 990n]);
      await run(deposit(1_000n, 990n, feeVault));
      expect(await balance(feeVault)).toBe(990n);
    });

    it('attack: donation sandwich, below and above the bound', async () => {
      // A small donation moves the price by 1 %, a large one doubles it.
      await donateAfter(1_000n, 10n);
      expect(await reverts(deposit(500n, 496n))).toEqual(['MinSharesNotMet', 496n, 495n]);
      await run(deposit(400n, 396n));
      await mint(chain, token, vault, 1_500n);
      expect(await reverts(deposit(400n, 396n))).toEqual(['MinSharesNotMet', 396n, 191n]);
    });

    it('attack: first-depositor inflation costs the attacker, not the account', async () => {
      await donateAfter(1n, 5_000n);
      expect(await reverts(deposit(900n, 890n))).toEqual(['MinSharesNotMet', 890n, 0n]);
    });

    it('attack: a vault that claims more shares than it gives, or burns shares of the account', async () => {
      const liar = await hostile({ claimed: max, given: 99n });
      expect(await reverts(deposit(100n, 100n, liar))).toEqual(['MinSharesNotMet', 100n, 99n]);
      const burner = await hostile({ given: 500n });
      await mint(chain, burner, agent.address, 1_000n);
      await chain.write(burner, hostileVaultAbi, 'burnHolder', []);
      expect(await reverts(deposit(100n, 1n, burner))).toEqual(['MinSharesNotMet', 1n, 0n]);
    });

    it('error: a token that ignores approve leaves the vault nothing to take', async () => {
      await chain.write(token, mockTokenAbi, 'setIgnoresApprove', []);
      const missing = ['ERC20InsufficientAllowance', getAddress(vault), 0n, 100n];
      expect(await reverts(deposit(100n, 100n))).toEqual(missing);
    });

    it('error: MinimumIsZero; the reason of a token comes through unchanged', async () => {
      expect(await reverts(deposit(100n, 0n))).toEqual(['MinimumIsZero']);
      const missing = ['ERC20InsufficientBalance', agent.address, 1_000n, 1_001n];
      expect(await reverts(deposit(1_001n, 1n))).toEqual(missing);
    });

    it('error: a vault without code, a token without code', async () => {
      for (const noVault of [zeroAddress, operator.address]) {
        expect(await reverts(deposit(1n, 1n, noVault))).toEqual([]);
      }
      const refusal = await reverts(depositHook(vault, operator.address, 1n, 1n));
      expect(refusal).toEqual(['SafeERC20FailedOperation', operator.address]);
    });
  });

  describe('redeem', () => {
    beforeEach(() => run(deposit(1_000n, 1_000n)));

    it('default: some shares; the maximum redeems the whole balance on chain', async () => {
      await run(redeem(300n, 300n));
      expect([await balance(vault), await balance(token)]).toEqual([700n, 300n]);
      await run(redeem(max, 700n));
      expect([await balance(vault), await balance(token)]).toEqual([0n, 1_000n]);
    });

    it('attack: shares of a foreign owner stay out of reach, even with their allowance', async () => {
      const victim = await configuredAgent(chain);
      await mint(chain, token, victim.address, 500n);
      await chain.write(token, mockTokenAbi, 'approve', [vault, 500n], victim);
      await chain.write(vault, mockVaultAbi, 'deposit', [500n, victim.address], victim);
      for (const spender of [agent.address, localContracts.executor]) {
        await chain.write(vault, mockVaultAbi, 'approve', [spender, max], victim);
      }
      const refusal = ['ERC4626ExceededMaxRedeem', agent.address, 1_001n, 1_000n];
      expect(await reverts(redeem(1_001n, 1n))).toEqual(refusal);
    });

    it('attack: a vault that claims more assets than it pays', async () => {
      const liar = await hostile({ claimed: max, given: 99n });
      await mint(chain, liar, agent.address, 100n);
      await mint(chain, token, liar, 100n);
      expect(await reverts(redeem(100n, 100n, liar))).toEqual(['MinAssetsNotMet', 100n, 99n]);
    });

    it('attack: another token than the one the vault pays; nothing to redeem', async () => {
      const refusal = ['MinAssetsNotMet', 1n, 0n];
      expect(await reverts(redeemHook(vault, chain.usdc, 10n, 1n))).toEqual(refusal);
      expect(await reverts(redeem(max, 1n, await deployVault(chain, token)))).toEqual(refusal);
    });

    it('error: MinimumIsZero; the reason of a vault comes through unchanged', async () => {
      expect(await reverts(redeem(1n, 0n))).toEqual(['MinimumIsZero']);
      expect(await reverts(redeem(666n, 1n, await hostile({})))).toEqual(['Bubbled', 'no', 666n]);
    });
  });

  describe('chaining', () => {
    beforeEach(() => run(deposit(600n, 600n)));

    it('default: a deposit of the maximum takes the proceeds of the redeem, never the whole balance', async () => {
      const target = await deployVault(chain, token);
      await run(redeem(max, 600n), deposit(max, 600n, target));
      expect([await balance(vault), await balance(target), await balance(token)]).toEqual([0n, 600n, 400n]);
    });

    it('behavior: shares brought by a deposit can be deposited into a vault of those shares', async () => {
      const outer = await deployVault(chain, vault);
      await run(deposit(300n, 300n), depositHook(outer, vault, max, 300n));
      expect([await balance(vault), await balance(outer)]).toEqual([600n, 300n]);
    });

    it('error: NothingToChain on the first hook and after an approval; ChainedTokenMismatch', async () => {
      expect(await reverts(deposit(max, 1n))).toEqual(['NothingToChain']);
      const afterApproval = [redeem(max, 1n), approveHook(operator.address, token, 1n), deposit(max, 1n)];
      expect(await reverts(...afterApproval)).toEqual(['NothingToChain']);
      const mismatch = ['ChainedTokenMismatch', getAddress(token), chain.usdc];
      const other = depositHook(vault, chain.usdc, max, 1n);
      expect(await reverts(redeem(max, 1n), other)).toEqual(mismatch);
    });
  });
});
