import {
  type Address,
  type Hex,
  type PrivateKeyAccount,
  concatHex,
  encodeAbiParameters,
  encodeDeployData,
  createPublicClient,
  erc20Abi,
  getAddress,
  http,
  parseEventLogs,
  zeroAddress,
} from 'viem';
import { yieldExecutorAbi, yieldExecutorBytecode } from '../src/generated/YieldExecutor.js';
import { yieldVaultAccountAbi } from '../src/generated/YieldVaultAccount.js';
import { hostileVaultAbi, hostileVaultBytecode } from './generated/HostileVault.js';
import { mockTokenAbi, mockTokenBytecode } from './generated/MockToken.js';
import { mockVaultAbi, mockVaultBytecode } from './generated/MockVault.js';
import { usdtLikeTokenAbi, usdtLikeTokenBytecode } from './generated/UsdtLikeToken.js';
import {
  approvePaymasterHook,
  configuredAgent,
  depositHook,
  executorCall,
  max,
  redeemHook,
  singleCall,
} from './support/account.js';
import { type TestChain, operator, startAnvil, startTestChain, localContracts } from './support/chain.js';
import { revertOf } from './support/reverts.js';
import { encode } from './support/calls.js';

describe('YieldExecutor', () => {
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
    return parseEventLogs({ abi: yieldExecutorAbi, logs: receipt.logs });
  };
  const reverts = (...hooks: readonly Hex[]) =>
    revertOf(chain, { from: agent.address, to: agent.address, data: executorCall(...hooks) });
  const hostile = () => chain.deploy(hostileVaultAbi, hostileVaultBytecode, [token]);

  describe('deposit', () => {
    it('default', async () => {
      const events = await run(depositHook(vault, token, 400n, 400n));
      expect(await balance(vault)).toBe(400n);
      expect(await balance(token)).toBe(600n);
      expect(await allowance(token, vault)).toBe(0n);
      expect(events.map(({ eventName, args }) => [eventName, args])).toEqual([
        ['Deposited4626', { account: agent.address, vault: getAddress(vault), assets: 400n, shares: 400n }],
      ]);
    });

    it('behavior: a left-over allowance is replaced and ends at zero, on a USDT-like token too', async () => {
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

    it('error: AllowanceNotSet when the token refuses to take an allowance back', async () => {
      const approve = encode(erc20Abi, 'approve', [vault, 7n]);
      await chain.mined(
        chain.walletOf(agent).sendTransaction({ to: agent.address, data: singleCall(token, approve) }),
      );
      await write(token, mockTokenAbi, 'setIgnoresApprove');
      expect(await reverts(depositHook(vault, token, 100n, 100n))).toEqual([
        'AllowanceNotSet',
        getAddress(token),
        getAddress(vault),
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

    it.each([
      ['vault', zeroAddress, undefined],
      ['token', undefined, zeroAddress],
      ['vault', operator.address, undefined],
    ] as const)('error: a %s without code', async (_, noVault, noToken) => {
      expect(await reverts(depositHook(noVault ?? vault, noToken ?? token, 1n, 1n))).toEqual(['FailedCall']);
    });
  });

  describe('redeem', () => {
    beforeEach(() => run(depositHook(vault, token, 1_000n, 1_000n)));

    it('default', async () => {
      const events = await run(redeemHook(vault, token, 300n, 300n));
      expect([await balance(vault), await balance(token)]).toEqual([700n, 300n]);
      expect(events.map(({ eventName, args }) => [eventName, args])).toEqual([
        ['Redeemed4626', { account: agent.address, vault: getAddress(vault), assets: 300n, shares: 300n }],
      ]);
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

  describe('approve paymaster', () => {
    it('default', async () => {
      for (const amount of [100_000_000n, 5n, 0n]) {
        const events = await run(approvePaymasterHook(amount));
        expect(await allowance(chain.usdc, localContracts.paymaster)).toBe(amount);
        expect(events).toMatchObject([
          { eventName: 'PaymasterApproved', args: { account: agent.address, amount } },
        ]);
      }
    });

    it('error: AllowanceAboveCap', async () => {
      expect(await reverts(approvePaymasterHook(100_000_001n))).toEqual([
        'AllowanceAboveCap',
        100_000_000n,
        100_000_001n,
      ]);
    });
  });

  describe('entries', () => {
    it('behavior: eight hooks run, a ninth does not', async () => {
      const eight = Array.from({ length: 8 }, () => depositHook(vault, token, 10n, 10n));
      await run(...eight);
      expect(await balance(vault)).toBe(80n);
      expect(await reverts(...eight, depositHook(vault, token, 10n, 10n))).toEqual(['TooManyHooks']);
    });

    it('behavior: a hook that fails undoes the hooks before it', async () => {
      expect(await reverts(depositHook(vault, token, 10n, 10n), depositHook(vault, token, 10n, 11n))).toEqual(
        ['MinSharesNotMet', 11n, 10n],
      );
      expect(await balance(vault)).toBe(0n);
    });

    it.each([
      ['nothing', '0x'],
      ['an id alone', '0x01'],
      ['a short deposit', concatHex(['0x01', `0x${'11'.repeat(103)}`])],
      ['a short redeem', concatHex(['0x02', `0x${'11'.repeat(103)}`])],
      ['a short approval', concatHex(['0x03', `0x${'11'.repeat(31)}`])],
      ['a rest', concatHex([approvePaymasterHook(1n), '0x03'])],
    ] as const)('error: MalformedEntries for %s', async (_, entries) => {
      expect(await reverts(entries)).toEqual(['MalformedEntries']);
    });

    it.each([0, 4, 255])('error: UnknownHook %d', async (id) => {
      const entries = concatHex([`0x${id.toString(16).padStart(2, '0')}`, `0x${'11'.repeat(104)}`]);
      expect(await reverts(entries)).toEqual(['UnknownHook', id]);
    });
  });

  describe('callers', () => {
    const execute = (entries: Hex) => encode(yieldExecutorAbi, 'execute', [entries]);

    it('error: ERC7579UninstalledModule for an account without the module', async () => {
      const data = encode(yieldVaultAccountAbi, 'uninstallModule', [2n, localContracts.executor, '0x']);
      await chain.mined(chain.walletOf(agent).sendTransaction({ to: agent.address, data }));
      expect(await reverts(depositHook(vault, token, 10n, 10n))).toEqual([
        'ERC7579UninstalledModule',
        2n,
        localContracts.executor,
      ]);
    });

    it('error: ModuleNotInstalled for a caller that is no account', async () => {
      expect(
        await revertOf(chain, { to: localContracts.executor, data: execute(approvePaymasterHook(1n)) }),
      ).toEqual(['ModuleNotInstalled', operator.address]);
    });

    it('attack: a vault that calls back into execute, in deposit and in redeem', async () => {
      const reentrant = await hostile();
      await write(reentrant, hostileVaultAbi, 'mint', [agent.address, 10n]);
      await write(reentrant, hostileVaultAbi, 'behave', [10n, 10n, 100n]);
      await write(reentrant, hostileVaultAbi, 'callBack', [
        localContracts.executor,
        execute(approvePaymasterHook(1n)),
      ]);
      expect(await reverts(depositHook(reentrant, token, 10n, 10n))).toEqual(['ExecutorReentered']);
      expect(await reverts(redeemHook(reentrant, token, 10n, 10n))).toEqual(['ExecutorReentered']);
    });

    it('attack: a vault that calls the account', async () => {
      const intruder = await hostile();
      const steal = encode(erc20Abi, 'transfer', [operator.address, 1n]);
      const viaExecutor = encode(yieldVaultAccountAbi, 'executeFromExecutor', [
        `0x${'00'.repeat(32)}`,
        concatHex([token, `0x${'00'.repeat(32)}`, steal]),
      ]);
      const intruderAddress = getAddress(intruder);
      await write(intruder, hostileVaultAbi, 'callBack', [agent.address, singleCall(token, steal)]);
      expect(await reverts(depositHook(intruder, token, 10n, 1n))).toEqual([
        'AccountUnauthorized',
        intruderAddress,
      ]);
      await write(intruder, hostileVaultAbi, 'callBack', [agent.address, viaExecutor]);
      expect(await reverts(depositHook(intruder, token, 10n, 1n))).toEqual([
        'ERC7579UninstalledModule',
        2n,
        intruderAddress,
      ]);
    });

    it('behavior: the lock opens again within one transaction', async () => {
      const calls = [depositHook(vault, token, 10n, 10n), depositHook(vault, token, 20n, 20n)].map(
        (entries) => ({ target: localContracts.executor, value: 0n, callData: execute(entries) }),
      );
      const batch = encodeAbiParameters(
        [
          {
            type: 'tuple[]',
            components: [
              { name: 'target', type: 'address' },
              { name: 'value', type: 'uint256' },
              { name: 'callData', type: 'bytes' },
            ],
          },
        ],
        [calls],
      );
      const data = encode(yieldVaultAccountAbi, 'execute', [`0x01${'00'.repeat(31)}`, batch]);
      await chain.mined(chain.walletOf(agent).sendTransaction({ to: agent.address, data }));
      expect(await balance(vault)).toBe(30n);
    });
  });

  it('attack: an out-of-gas hook reverts everything (63/64)', async () => {
    const data = executorCall(depositHook(vault, token, 10n, 10n), depositHook(vault, token, 10n, 10n));
    const gas = await chain.client.estimateGas({ account: agent, to: agent.address, data });
    const receipt = await chain.mined(
      chain.walletOf(agent).sendTransaction({ to: agent.address, data, gas: gas - 30_000n }),
    );
    expect(receipt.status).toBe('reverted');
    expect([await balance(vault), await allowance(token, vault)]).toEqual([0n, 0n]);
  });

  it('behavior: is an executor with the configured paymaster, USDC and cap', async () => {
    const read = (functionName: 'paymaster' | 'usdc' | 'allowanceCap') =>
      chain.read(localContracts.executor, yieldExecutorAbi, functionName);
    expect(await read('paymaster')).toBe(localContracts.paymaster);
    expect(await read('usdc')).toBe(chain.usdc);
    expect(await read('allowanceCap')).toBe(100_000_000n);
    const isModuleType = (type: bigint) =>
      chain.read(localContracts.executor, yieldExecutorAbi, 'isModuleType', [type]);
    expect([await isModuleType(1n), await isModuleType(2n)]).toEqual([false, true]);
    const isInitialized = (account: Address) =>
      chain.read(localContracts.executor, yieldExecutorAbi, 'isInitialized', [account]);
    expect([await isInitialized(agent.address), await isInitialized(operator.address)]).toEqual([
      true,
      false,
    ]);
  });

  it('error: UnsupportedChain when created elsewhere', async () => {
    const elsewhere = await startAnvil({ chainId: 31_337 });
    try {
      const client = createPublicClient({ transport: http(elsewhere.rpcUrl) });
      const data = encodeDeployData({
        abi: yieldExecutorAbi,
        bytecode: yieldExecutorBytecode,
        args: [localContracts.paymaster, 1n],
      });
      expect(await revertOf({ ...chain, client } as never, { data })).toEqual(['UnsupportedChain', 31_337n]);
    } finally {
      await elsewhere.stop();
    }
  });
});
