import { type Address, type Hex, type PrivateKeyAccount, erc20Abi, getAddress, zeroAddress } from 'viem';
import { hostileVaultAbi, hostileVaultBytecode } from '../generated/HostileVault.js';
import { mockTokenAbi, mockTokenBytecode } from '../generated/MockToken.js';
import { mockVaultAbi, mockVaultBytecode } from '../generated/MockVault.js';
import { usdtLikeTokenAbi, usdtLikeTokenBytecode } from '../generated/UsdtLikeToken.js';
import {
  approvePaymasterHook,
  configuredAgent,
  depositHook,
  executorCall,
  max,
  redeemHook,
  singleCall,
} from '../support/account.js';
import { type TestChain, localContracts, operator, startTestChain } from '../support/chain.js';
import { revertOf } from '../support/reverts.js';
import { encode } from '../support/calls.js';

describe('YieldExecutor: vault hooks', () => {
  let chain: TestChain;
  let agent: PrivateKeyAccount;
  let token: Address;
  let vault: Address;
  beforeAll(async () => {
    chain = await startTestChain();
  });
  afterAll(() => chain.stop());
  beforeEach(async () => {
    agent = await configuredAgent(chain);
    token = await chain.deploy(mockTokenAbi, mockTokenBytecode);
    vault = await chain.deploy(mockVaultAbi, mockVaultBytecode, [token]);
    await mint(token, agent.address, 1_000n);
  });

  const write = (
    address: Address,
    abi: readonly unknown[],
    functionName: string,
    args: readonly unknown[] = [],
  ) => chain.write(address, abi, functionName, args);
  const mint = (address: Address, to: Address, amount: bigint) =>
    write(address, mockTokenAbi, 'mint', [to, amount]);
  const balance = (address: Address, owner: Address = agent.address) =>
    chain.read(address, erc20Abi, 'balanceOf', [owner]);
  const allowance = (address: Address, spender: Address) =>
    chain.read(address, erc20Abi, 'allowance', [agent.address, spender]);
  /** The account calls its executor, as it does in a user operation. */
  const run = async (...hooks: readonly Hex[]) => {
    const receipt = await chain.mined(
      chain
        .walletOf(agent)
        .sendTransaction({ to: agent.address, data: executorCall(...hooks), gas: 3_000_000n }),
    );
    if (receipt.status !== 'success') throw new Error(String(await reverts(...hooks)));
  };
  const reverts = (...hooks: readonly Hex[]) =>
    revertOf(chain, { from: agent.address, to: agent.address, data: executorCall(...hooks) });
  const hostile = () => chain.deploy(hostileVaultAbi, hostileVaultBytecode, [token]);

  describe('deposit', () => {
    it('default', async () => {
      await run(depositHook(vault, token, 400n, 400n));
      expect(await balance(vault)).toBe(400n);
      expect(await balance(token)).toBe(600n);
      expect(await allowance(token, vault)).toBe(0n);
    });

    it('behavior: a left-over allowance of another token than USDC is replaced and ends at zero, on a USDT-like token too', async () => {
      const usdt = await chain.deploy(usdtLikeTokenAbi, usdtLikeTokenBytecode);
      const usdtVault = await chain.deploy(mockVaultAbi, mockVaultBytecode, [usdt]);
      await mint(usdt, agent.address, 1_000n);
      const approve = encode(erc20Abi, 'approve', [usdtVault, 7n]);
      await chain.mined(
        chain.walletOf(agent).sendTransaction({ to: agent.address, data: singleCall(usdt, approve) }),
      );
      expect(await allowance(usdt, usdtVault)).toBe(7n);
      await run(depositHook(usdtVault, usdt, 100n, 100n));
      expect(await balance(usdtVault)).toBe(100n);
      expect(await allowance(usdt, usdtVault)).toBe(0n);
      await run(depositHook(usdtVault, usdt, 100n, 100n));
      expect(await balance(usdtVault)).toBe(200n);
    });

    it('behavior: the allowance is taken back when the vault takes less', async () => {
      const greedless = await hostile();
      await write(greedless, hostileVaultAbi, 'behave', [100n, 50n, 50n]);
      await run(depositHook(greedless, token, 100n, 50n));
      expect(await allowance(token, greedless)).toBe(0n);
      expect(await balance(token)).toBe(950n);
    });

    it('behavior: the allowance is taken back when the token does not spend it', async () => {
      await write(token, mockTokenAbi, 'setKeepsAllowance');
      await run(depositHook(vault, token, 100n, 100n));
      expect(await allowance(token, vault)).toBe(0n);
    });

    it('attack: a fee-on-transfer asset brings fewer shares than the minimum', async () => {
      const feeVault = await hostile();
      await write(token, mockTokenAbi, 'setFee', [100n]);
      // A vault that credits what arrived: 1 % less than was sent.
      await write(feeVault, hostileVaultAbi, 'behave', [1_000n, 990n, 100n]);
      expect(await reverts(depositHook(feeVault, token, 1_000n, 991n))).toEqual([
        'MinSharesNotMet',
        991n,
        990n,
      ]);
      await run(depositHook(feeVault, token, 1_000n, 990n));
      expect(await balance(feeVault)).toBe(990n);
    });

    it('attack: donation sandwich, below and above the bound', async () => {
      await mint(token, operator.address, 10_000n);
      await write(token, mockTokenAbi, 'approve', [vault, max]);
      await write(vault, mockVaultAbi, 'deposit', [1_000n, operator.address]);
      // A small donation moves the price by 1 %, a large one doubles it.
      await write(token, mockTokenAbi, 'transfer', [vault, 10n]);
      expect(await reverts(depositHook(vault, token, 500n, 496n))).toEqual(['MinSharesNotMet', 496n, 495n]);
      await run(depositHook(vault, token, 400n, 396n));
      await write(token, mockTokenAbi, 'transfer', [vault, 1_500n]);
      expect(await reverts(depositHook(vault, token, 400n, 396n))).toEqual(['MinSharesNotMet', 396n, 191n]);
    });

    it('attack: first-depositor inflation costs the attacker, not the account', async () => {
      await mint(token, operator.address, 10_000n);
      await write(token, mockTokenAbi, 'approve', [vault, max]);
      await write(vault, mockVaultAbi, 'deposit', [1n, operator.address]);
      await write(token, mockTokenAbi, 'transfer', [vault, 5_000n]);
      expect(await reverts(depositHook(vault, token, 900n, 890n))).toEqual(['MinSharesNotMet', 890n, 0n]);
    });

    it('attack: a vault that claims more shares than it gives', async () => {
      const liar = await hostile();
      await write(liar, hostileVaultAbi, 'behave', [max, 99n, 100n]);
      expect(await reverts(depositHook(liar, token, 100n, 100n))).toEqual(['MinSharesNotMet', 100n, 99n]);
    });

    it('attack: a vault that burns shares of the account', async () => {
      const burner = await hostile();
      await write(burner, hostileVaultAbi, 'mint', [agent.address, 1_000n]);
      await write(burner, hostileVaultAbi, 'burnHolder');
      await write(burner, hostileVaultAbi, 'behave', [500n, 500n, 100n]);
      expect(await reverts(depositHook(burner, token, 100n, 1n))).toEqual(['MinSharesNotMet', 1n, 0n]);
    });

    it('error: a token that ignores approve leaves the vault nothing to take', async () => {
      await write(token, mockTokenAbi, 'setIgnoresApprove');
      expect(await reverts(depositHook(vault, token, 100n, 100n))).toEqual([
        'ERC20InsufficientAllowance',
        getAddress(vault),
        0n,
        100n,
      ]);
    });

    it('error: MinimumIsZero', async () => {
      expect(await reverts(depositHook(vault, token, 100n, 0n))).toEqual(['MinimumIsZero']);
    });

    it('error: the reason of a token comes through unchanged', async () => {
      expect(await reverts(depositHook(vault, token, 1_001n, 1n))).toEqual([
        'ERC20InsufficientBalance',
        agent.address,
        1_000n,
        1_001n,
      ]);
    });

    it('error: a vault without code, a token without code', async () => {
      for (const noVault of [zeroAddress, operator.address]) {
        expect(await reverts(depositHook(noVault, token, 1n, 1n))).toEqual([]);
      }
      expect(await reverts(depositHook(vault, operator.address, 1n, 1n))).toEqual([
        'SafeERC20FailedOperation',
        operator.address,
      ]);
    });
  });

  describe('redeem', () => {
    beforeEach(() => run(depositHook(vault, token, 1_000n, 1_000n)));

    it('default', async () => {
      await run(redeemHook(vault, token, 300n, 300n));
      expect([await balance(vault), await balance(token)]).toEqual([700n, 300n]);
    });

    it('behavior: the maximum redeems the whole balance on chain', async () => {
      await run(redeemHook(vault, token, max, 1_000n));
      expect([await balance(vault), await balance(token)]).toEqual([0n, 1_000n]);
    });

    it('attack: shares of a foreign owner stay out of reach, even with their allowance', async () => {
      const victim = await configuredAgent(chain);
      await mint(token, victim.address, 500n);
      const wallet = chain.walletOf(victim);
      for (const [address, functionName, args] of [
        [token, 'approve', [vault, 500n]],
        [vault, 'deposit', [500n, victim.address]],
        [vault, 'approve', [agent.address, max]],
        [vault, 'approve', [localContracts.executor, max]],
      ] as const) {
        await chain.mined(wallet.writeContract({ address, abi: mockVaultAbi, functionName, args } as never));
      }
      expect(await reverts(redeemHook(vault, token, 1_001n, 1n))).toEqual([
        'ERC4626ExceededMaxRedeem',
        agent.address,
        1_001n,
        1_000n,
      ]);
      expect(await balance(vault, victim.address)).toBe(500n);
    });

    it('attack: a vault that claims more assets than it pays', async () => {
      const liar = await hostile();
      await write(liar, hostileVaultAbi, 'mint', [agent.address, 100n]);
      await mint(token, liar, 100n);
      await write(liar, hostileVaultAbi, 'behave', [max, 99n, 100n]);
      expect(await reverts(redeemHook(liar, token, 100n, 100n))).toEqual(['MinAssetsNotMet', 100n, 99n]);
    });

    it('attack: another token than the one the vault pays', async () => {
      expect(await reverts(redeemHook(vault, chain.usdc, 10n, 1n))).toEqual(['MinAssetsNotMet', 1n, 0n]);
    });

    it('error: nothing to redeem', async () => {
      const empty = await chain.deploy(mockVaultAbi, mockVaultBytecode, [token]);
      expect(await reverts(redeemHook(empty, token, max, 1n))).toEqual(['MinAssetsNotMet', 1n, 0n]);
    });

    it('error: MinimumIsZero', async () => {
      expect(await reverts(redeemHook(vault, token, 1n, 0n))).toEqual(['MinimumIsZero']);
    });

    it('error: the reason of a vault comes through unchanged', async () => {
      const liar = await hostile();
      expect(await reverts(redeemHook(liar, token, 666n, 1n))).toEqual(['Bubbled', 'no', 666n]);
    });
  });

  describe('chaining', () => {
    it('default: a deposit of the maximum takes the proceeds of the redeem, never the whole balance', async () => {
      const target = await chain.deploy(mockVaultAbi, mockVaultBytecode, [token]);
      await run(depositHook(vault, token, 600n, 600n));
      await run(redeemHook(vault, token, max, 600n), depositHook(target, token, max, 600n));
      expect([await balance(vault), await balance(target), await balance(token)]).toEqual([0n, 600n, 400n]);
    });

    it('behavior: shares brought by a deposit can be deposited into a vault of those shares', async () => {
      const outer = await chain.deploy(mockVaultAbi, mockVaultBytecode, [vault]);
      await run(depositHook(vault, token, 500n, 500n), depositHook(outer, vault, max, 500n));
      expect([await balance(vault), await balance(outer)]).toEqual([0n, 500n]);
    });

    it('error: NothingToChain on the first hook and after an approval', async () => {
      expect(await reverts(depositHook(vault, token, max, 1n))).toEqual(['NothingToChain']);
      await run(depositHook(vault, token, 600n, 600n));
      expect(
        await reverts(
          redeemHook(vault, token, max, 1n),
          approvePaymasterHook(1n),
          depositHook(vault, token, max, 1n),
        ),
      ).toEqual(['NothingToChain']);
    });

    it('error: ChainedTokenMismatch', async () => {
      await run(depositHook(vault, token, 600n, 600n));
      expect(
        await reverts(redeemHook(vault, token, max, 1n), depositHook(vault, chain.usdc, max, 1n)),
      ).toEqual(['ChainedTokenMismatch', getAddress(token), chain.usdc]);
    });
  });
});
