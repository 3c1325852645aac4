import {
  BaseError,
  ContractFunctionRevertedError,
  encodeFunctionData,
  erc20Abi,
  parseUnits,
  type Address,
  type Hex,
} from 'viem';
import {
  localAsyncVaultAbi,
  localCappedVaultAbi,
  localGapVaultAbi,
  localGasBombVaultAbi,
  localPausableVaultAbi,
  localVaultAbi,
  localVaults,
  localWhitelistVaultAbi,
  ratePerSecond,
  type LocalVaultDefinition,
  type LocalVaultKind,
} from '../src/local-chain/index.js';
import { devAccount, startProvisionedChain, type ProvisionedChain } from './local-chain-client.js';
import { encode } from '../../contracts/test/support/calls.js';

const year = 31_536_000;
const usdc = (amount: string) => parseUnits(amount, 6);
const depositor = devAccount(1).address;

describe('local vaults', () => {
  let chain: ProvisionedChain;
  beforeAll(async () => {
    chain = await startProvisionedChain(8453);
    await chain.mintUsdc(depositor, usdc('1000000'));
  });
  afterAll(async () => {
    await chain.stop();
  });

  // Every test starts from the freshly provisioned chain.
  let snapshot: Hex;
  beforeEach(async () => {
    snapshot = await chain.client.snapshot();
  });
  afterEach(async () => {
    await chain.client.revert({ id: snapshot });
  });

  type ReadName =
    | 'totalAssets'
    | 'previewRedeem'
    | 'previewDeposit'
    | 'previewMint'
    | 'previewWithdraw'
    | 'convertToAssets'
    | 'maxDeposit'
    | 'maxMint'
    | 'maxRedeem'
    | 'maxWithdraw'
    | 'balanceOf'
    | 'reserve'
    | 'ratePerSecond';

  const read = (vault: LocalVaultDefinition, functionName: ReadName, ...args: unknown[]) =>
    chain.client.readContract({
      address: vault.address,
      abi: localVaultAbi,
      functionName,
      args: args as never,
    }) as Promise<bigint>;

  const usdcOf = (account: Address) => chain.read(chain.addresses.usdc, erc20Abi, 'balanceOf', [account]);

  async function send(to: Address, data: Hex) {
    // The gas of a vault depends on the second, and Anvil estimates it to the unit.
    const gas = 2_000_000n;
    const hash = await chain.client.sendTransaction({ account: depositor, chain: null, to, data, gas });
    const receipt = await chain.client.waitForTransactionReceipt({ hash });
    if (receipt.status !== 'success') throw new Error(`reverted: ${hash}`);
    return chain.client.getBlock({ blockNumber: receipt.blockNumber });
  }

  type WriteName = 'deposit' | 'mint' | 'withdraw' | 'redeem' | 'harvest' | 'realiseLoss' | 'setRate';
  const call = (functionName: WriteName, ...args: unknown[]) =>
    encodeFunctionData({ abi: localVaultAbi, functionName, args: args as never });

  async function deposit(vault: LocalVaultDefinition, amount: bigint): Promise<bigint> {
    const approve = encode(erc20Abi, 'approve', [vault.address, amount]);
    await send(chain.addresses.usdc, approve);
    await send(vault.address, call('deposit', amount, depositor));
    return read(vault, 'balanceOf', depositor);
  }

  /** The name of the custom error with which a call reverts. */
  async function errorOf(vault: LocalVaultDefinition, functionName: WriteName, ...args: unknown[]) {
    const abi = [
      ...localVaultAbi,
      ...localCappedVaultAbi,
      ...localPausableVaultAbi,
      ...localWhitelistVaultAbi,
    ];
    try {
      await chain.client.simulateContract({
        account: depositor,
        address: vault.address,
        abi,
        functionName,
        args: args as never,
      });
    } catch (error) {
      const revert =
        error instanceof BaseError
          ? error.walk((cause) => cause instanceof ContractFunctionRevertedError)
          : null;
      if (revert instanceof ContractFunctionRevertedError) return revert.data?.errorName;
      throw error;
    }
    throw new Error(`${functionName} did not revert`);
  }

  const vaultOf = (kind: LocalVaultKind, offset?: number): LocalVaultDefinition => {
    const found = localVaults[8453].find(
      (vault) =>
        vault.asset === 'USDC' &&
        vault.kind === kind &&
        (offset ?? vault.decimalsOffset) === vault.decimalsOffset,
    );
    if (!found) throw new Error(`no ${kind} vault`);
    return found;
  };

  describe('accrual', () => {
    it.each(['steady', 'faster'] as const)('default: a %s vault pays its APY over a year', async (kind) => {
      const vault = vaultOf(kind);
      const before = await read(vault, 'totalAssets');
      await chain.pass(year);
      const after = await read(vault, 'totalAssets');
      expect((Number(after) / Number(before) - 1) * 100).toBeCloseTo(vault.apyPercent, 1);
    });

    it('behavior: the price grows with every second', async () => {
      const vault = vaultOf('steady');
      const probe = 10n ** 12n;
      const first = await read(vault, 'convertToAssets', probe);
      await chain.pass(60);
      expect(await read(vault, 'convertToAssets', probe)).toBeGreaterThan(first);
    });

    it('behavior: redeems pay the share price, to the last share', async () => {
      const vault = vaultOf('faster');
      const shares = await deposit(vault, usdc('100000'));
      await chain.pass(year / 4);
      const before = await usdcOf(depositor);
      const block = await send(vault.address, call('redeem', shares, depositor, depositor));
      const received = (await usdcOf(depositor)) - before;

      const expected = await chain.client.readContract({
        address: vault.address,
        abi: localVaultAbi,
        functionName: 'convertToAssets',
        args: [shares],
        blockNumber: block.number - 1n,
      });
      expect(Number(received)).toBeGreaterThanOrEqual(Number(expected));
      expect(Number(received) / 1e6).toBeCloseTo(100_000 * 1.112 ** 0.25, -1);
      expect(await read(vault, 'balanceOf', depositor)).toBe(0n);
    });

    it('behavior: growth ends with the reserve', async () => {
      const vault = vaultOf('faster');
      await chain.pass(20 * year);
      expect(await read(vault, 'reserve')).toBe(0n);
      expect(await read(vault, 'totalAssets')).toBe(await usdcOf(vault.address));
    });

    it('behavior: a transfer to the vault feeds the reserve and leaves the price alone', async () => {
      const vault = vaultOf('steady');
      await send(vault.address, call('setRate', 0n));
      const price = await read(vault, 'convertToAssets', 10n ** 12n);
      const reserve = await read(vault, 'reserve');
      await send(chain.addresses.usdc, encode(erc20Abi, 'transfer', [vault.address, usdc('5000')]));
      expect(await read(vault, 'convertToAssets', 10n ** 12n)).toBe(price);
      expect(await read(vault, 'reserve')).toBe(reserve + usdc('5000'));
    });

    it('behavior: setRate changes the growth from then on', async () => {
      const vault = vaultOf('steady');
      await send(vault.address, call('setRate', ratePerSecond(20)));
      expect(await read(vault, 'ratePerSecond')).toBe(ratePerSecond(20));
      const before = await read(vault, 'totalAssets');
      await chain.pass(year / 2);
      const growth = Number(await read(vault, 'totalAssets')) / Number(before);
      expect(growth).toBeCloseTo(1.2 ** 0.5, 3);
    });
  });

  describe('harvest and loss', () => {
    it('behavior: a harvest lifts the price at once', async () => {
      const vault = vaultOf('steady');
      await send(vault.address, call('setRate', 0n));
      const before = await read(vault, 'totalAssets');
      await send(vault.address, call('harvest', usdc('1000')));
      expect(await read(vault, 'totalAssets')).toBe(before + usdc('1000'));
    });

    it('error: a harvest of more than the reserve', async () => {
      const vault = vaultOf('steady');
      const reserve = await read(vault, 'reserve');
      expect(await errorOf(vault, 'harvest', reserve + 1n)).toBe('InsufficientReserve');
    });

    it('behavior: a loss lowers the price and removes assets', async () => {
      const vault = vaultOf('lossy');
      await send(vault.address, call('setRate', 0n));
      const [assets, held] = [await read(vault, 'totalAssets'), await usdcOf(vault.address)];
      const price = await read(vault, 'convertToAssets', 10n ** 18n);
      await send(vault.address, call('realiseLoss', assets / 50n));
      expect(await read(vault, 'totalAssets')).toBe(assets - assets / 50n);
      expect(await usdcOf(vault.address)).toBe(held - assets / 50n);
      expect(Number(await read(vault, 'convertToAssets', 10n ** 18n)) / Number(price)).toBeCloseTo(0.98, 6);
    });
  });

  describe('share decimals', () => {
    it('behavior: shares of 18 decimals over an asset of 6', async () => {
      const vault = vaultOf('steady', 12);
      const shares = await deposit(vault, usdc('1000'));
      expect(Number(shares) / 1e18).toBeCloseTo(1000 / vault.sharePrice, 2);
      expect(Number(await read(vault, 'convertToAssets', shares))).toBeGreaterThanOrEqual(
        Number(usdc('1000')) - 1,
      );
    });
  });

  describe('capped', () => {
    it('default: deposits up to the room, which they use up and withdrawals give back', async () => {
      const vault = vaultOf('capped');
      expect(await read(vault, 'maxDeposit', depositor)).toBe(usdc('40'));
      await deposit(vault, usdc('30'));
      expect(await read(vault, 'maxDeposit', depositor)).toBe(usdc('10'));
      expect(await read(vault, 'previewMint', await read(vault, 'maxMint', depositor))).toBeLessThanOrEqual(
        usdc('10'),
      );
      await send(vault.address, call('withdraw', usdc('20'), depositor, depositor));
      expect(await read(vault, 'maxDeposit', depositor)).toBe(usdc('30'));
    });

    it('behavior: accrual does not use the room up', async () => {
      const vault = vaultOf('capped');
      await chain.pass(year);
      expect(await read(vault, 'maxDeposit', depositor)).toBe(usdc('40'));
    });

    it('error: ERC4626ExceededMaxDeposit and ERC4626ExceededMaxMint', async () => {
      const vault = vaultOf('capped');
      expect(await errorOf(vault, 'deposit', usdc('40') + 1n, depositor)).toBe('ERC4626ExceededMaxDeposit');
      const shares = await read(vault, 'maxMint', depositor);
      expect(await errorOf(vault, 'mint', shares + 1n, depositor)).toBe('ERC4626ExceededMaxMint');
    });
  });

  describe('paused', () => {
    it('default: the price still reads, every limit is 0', async () => {
      const vault = vaultOf('paused');
      expect(await read(vault, 'totalAssets')).toBeGreaterThan(0n);
      for (const limit of ['maxDeposit', 'maxMint', 'maxRedeem', 'maxWithdraw'] as const) {
        expect(await read(vault, limit, depositor)).toBe(0n);
      }
    });

    it.each([
      ['deposit', [1n, depositor]],
      ['mint', [1n, depositor]],
      ['withdraw', [1n, depositor, depositor]],
      ['redeem', [1n, depositor, depositor]],
    ] as const)('error: %s reverts EnforcedPause', async (name, args) => {
      expect(await errorOf(vaultOf('paused'), name, ...args)).toBe('EnforcedPause');
    });

    it('behavior: once open it takes deposits and pays them back', async () => {
      const vault = vaultOf('paused');
      await send(vault.address, encode(localPausableVaultAbi, 'unpause'));
      const shares = await deposit(vault, usdc('100'));
      await send(vault.address, call('redeem', shares, depositor, depositor));
      expect(await read(vault, 'balanceOf', depositor)).toBe(0n);
    });
  });

  describe('fee on withdrawal', () => {
    it('default: previewRedeem includes 0.10 %, convertToAssets does not, and redeem pays the preview', async () => {
      const vault = vaultOf('exit-fee');
      await send(vault.address, call('setRate', 0n));
      const shares = await deposit(vault, usdc('1000'));
      const [worth, preview] = [
        await read(vault, 'convertToAssets', shares),
        await read(vault, 'previewRedeem', shares),
      ];
      expect(Number(preview) / Number(worth)).toBeCloseTo(0.999, 6);
      expect(await read(vault, 'maxWithdraw', depositor)).toBe(preview);

      const before = await usdcOf(depositor);
      await send(vault.address, call('redeem', shares, depositor, depositor));
      expect((await usdcOf(depositor)) - before).toBe(preview);
    });

    it('behavior: previewWithdraw burns the fee on top, which stays with the others', async () => {
      const vault = vaultOf('exit-fee');
      await send(vault.address, call('setRate', 0n));
      const shares = await deposit(vault, usdc('1000'));
      const burnt = await read(vault, 'previewWithdraw', usdc('500'));
      expect(Number(await read(vault, 'convertToAssets', burnt)) / 1e6).toBeCloseTo(500 / 0.999, 3);

      const price = await read(vault, 'convertToAssets', 10n ** 12n);
      await send(vault.address, call('withdraw', usdc('500'), depositor, depositor));
      expect(await read(vault, 'balanceOf', depositor)).toBe(shares - burnt);
      expect(await read(vault, 'convertToAssets', 10n ** 12n)).toBeGreaterThan(price);
    });
  });

  describe('zero limits', () => {
    it('default: every max* is 0, and all four operations work', async () => {
      const vault = vaultOf('zero-limit');
      await deposit(vault, usdc('100'));
      await send(chain.addresses.usdc, encode(erc20Abi, 'approve', [vault.address, usdc('100')]));
      await send(vault.address, call('mint', 10n ** 18n, depositor));
      await send(vault.address, call('withdraw', usdc('50'), depositor, depositor));
      for (const limit of ['maxDeposit', 'maxMint', 'maxRedeem', 'maxWithdraw'] as const) {
        expect(await read(vault, limit, depositor)).toBe(0n);
      }
      const shares = await read(vault, 'balanceOf', depositor);
      expect(shares).toBeGreaterThan(0n);
      await send(vault.address, call('redeem', shares, depositor, depositor));
      expect(await read(vault, 'balanceOf', depositor)).toBe(0n);
    });

    it('error: it cannot pay out what the owner does not have', async () => {
      const vault = vaultOf('zero-limit');
      expect(await errorOf(vault, 'redeem', 1n, depositor, depositor)).toBe('ERC20InsufficientBalance');
    });
  });

  describe('gap', () => {
    it('default: views of the price fail between two times, and yield continues', async () => {
      const vault = vaultOf('gap');
      const before = await read(vault, 'totalAssets');
      const { timestamp } = await chain.client.getBlock();
      const silence = [timestamp + 10n, timestamp + 3_600n] as const;
      await send(vault.address, encode(localGapVaultAbi, 'setSilence', silence));
      await chain.pass(1_800);
      for (const view of ['totalAssets', 'convertToAssets'] as const)
        await expect(read(vault, view, ...(view === 'totalAssets' ? [] : [1n]))).rejects.toThrow(BaseError);
      await chain.pass(year);
      expect((Number(await read(vault, 'totalAssets')) / Number(before) - 1) * 100).toBeCloseTo(
        vault.apyPercent,
        1,
      );
    });
  });

  describe('async', () => {
    it('default: a redeem pays requested and fulfilled shares, and nothing before', async () => {
      const vault = vaultOf('async');
      const shares = await deposit(vault, usdc('1000'));
      expect(await errorOf(vault, 'redeem', shares, depositor, depositor)).toBe('ERC4626ExceededMaxRedeem');
      await send(vault.address, encode(localAsyncVaultAbi, 'requestRedeem', [shares, depositor, depositor]));
      expect(await read(vault, 'maxRedeem', depositor)).toBe(0n);
      await send(vault.address, encode(localAsyncVaultAbi, 'fulfil', [depositor]));
      const before = await usdcOf(depositor);
      await send(vault.address, call('redeem', shares, depositor, depositor));
      expect((await usdcOf(depositor)) - before).toBeGreaterThanOrEqual(usdc('999'));
    });

    it('error: an account cannot redeem another account’s request', async () => {
      const vault = vaultOf('async');
      const shares = await deposit(vault, usdc('1000'));
      const other = devAccount(2).address;
      await send(vault.address, encode(localAsyncVaultAbi, 'requestRedeem', [shares, other, depositor]));
      await send(vault.address, encode(localAsyncVaultAbi, 'fulfil', [other]));
      expect(await errorOf(vault, 'redeem', shares, depositor, other)).toBe('ERC4626ExceededMaxRedeem');
    });

    it.each([
      ['0x01ffc9a7', true],
      ['0x620ee8e4', true],
      ['0xce3bbe50', false],
      ['0xffffffff', false],
    ] as const)('behavior: supportsInterface(%s) is %s', async (id, expected) => {
      const answer = await chain.read(vaultOf('async').address, localAsyncVaultAbi, 'supportsInterface', [
        id,
      ]);
      expect(answer).toBe(expected);
    });
  });

  describe('whitelist', () => {
    it('default: an account on the list deposits, everyone redeems', async () => {
      const vault = vaultOf('whitelist');
      await send(vault.address, encode(localWhitelistVaultAbi, 'allow', [depositor]));
      const shares = await deposit(vault, usdc('100'));
      await send(vault.address, call('redeem', shares, depositor, depositor));
      expect(await read(vault, 'balanceOf', depositor)).toBe(0n);
    });

    it('error: AccessControlUnauthorizedAccount, although maxDeposit has room', async () => {
      const vault = vaultOf('whitelist');
      expect(await read(vault, 'maxDeposit', depositor)).toBeGreaterThan(0n);
      expect(await errorOf(vault, 'deposit', usdc('100'), depositor)).toBe(
        'AccessControlUnauthorizedAccount',
      );
    });
  });

  describe('minimum', () => {
    it('default: a deposit of the minimum', async () => {
      expect(await deposit(vaultOf('minimum'), usdc('250000'))).toBeGreaterThan(0n);
    });

    it('error: one base unit less', async () => {
      expect(await errorOf(vaultOf('minimum'), 'deposit', usdc('250000') - 1n, depositor)).toBe('Error');
    });
  });

  describe('gas bomb', () => {
    beforeEach(async () => {
      const { timestamp } = await chain.client.getBlock();
      const data = encode(localGasBombVaultAbi, 'arm', [timestamp + 60n]);
      await send(vaultOf('gas-bomb').address, data);
    });

    it('default: deposit and redeem work', async () => {
      await chain.pass(60);
      const vault = vaultOf('gas-bomb');
      const shares = await deposit(vault, usdc('100'));
      await send(vault.address, call('redeem', shares, depositor, depositor));
      expect(await read(vault, 'balanceOf', depositor)).toBe(0n);
    });

    it.each(['maxDeposit', 'convertToAssets'] as const)(
      'behavior: %s costs 36 million gas from a time on',
      async (view) => {
        const { address } = vaultOf('gas-bomb');
        const args = view === 'maxDeposit' ? [depositor] : [10n ** 18n];
        const data = encodeFunctionData({ abi: localVaultAbi, functionName: view, args: args as never });
        const request = (gas: bigint) => chain.client.call({ to: address, data, gas });
        expect((await request(200_000n)).data).toMatch(/^0x/);
        await chain.pass(60);
        await expect(request(35_000_000n)).rejects.toThrow(BaseError);
        expect((await request(40_000_000n)).data).toMatch(/^0x/);
      },
    );
  });
});
