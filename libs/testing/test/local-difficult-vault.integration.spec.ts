import { startAnvil } from '../src/start-anvil.js';
import {
  BaseError,
  createTestClient,
  encodeFunctionData,
  erc20Abi,
  http,
  parseUnits,
  publicActions,
  walletActions,
  type Abi,
  type Address,
  type Hex,
} from 'viem';
import {
  localFeeTokenAbi,
  localFeeTokenBytecode,
  localDifficultVaultAbi,
  localDifficultVaultBytecode,
} from '../src/local-chain/index.js';
import { devAccount } from './local-chain-client.js';
import { encode } from '../../contracts/test/support/calls.js';

const holder = devAccount(1);
const stranger = devAccount(2).address;
const amount = parseUnits('1000', 6);

describe('difficult vaults of a local chain', () => {
  let anvil: Awaited<ReturnType<typeof startAnvil>>;
  let client: ReturnType<typeof createClient>;
  let token: Address;
  let vault: Address;

  const createClient = (rpcUrl: string) =>
    createTestClient({ mode: 'anvil', transport: http(rpcUrl), pollingInterval: 20, cacheTime: 0 })
      .extend(publicActions)
      .extend(walletActions);

  beforeAll(async () => {
    anvil = await startAnvil({ chainId: 8453 });
    client = createClient(anvil.rpcUrl);
  });
  afterAll(() => anvil.stop());

  // Every test has a token and a vault of its own.
  beforeEach(async () => {
    token = await deploy(localFeeTokenAbi, localFeeTokenBytecode, []);
    vault = await deploy(localDifficultVaultAbi, localDifficultVaultBytecode, [
      token,
      'Difficult',
      'HARD',
      0,
    ]);
    await write(token, localFeeTokenAbi, 'mint', [holder.address, amount * 10n]);
    await write(token, erc20Abi, 'approve', [vault, amount * 10n]);
  });

  async function deploy(abi: Abi | readonly unknown[], bytecode: Hex, args: readonly unknown[]) {
    const hash = await client.deployContract({
      ...{ abi: abi as Abi, bytecode, args, account: holder, chain: null },
    });
    const { contractAddress } = await client.waitForTransactionReceipt({ hash });
    return contractAddress!;
  }
  async function write(
    address: Address,
    abi: Abi | readonly unknown[],
    functionName: string,
    args: unknown[],
  ) {
    const data = encodeFunctionData({ abi: abi as Abi, functionName, args });
    const hash = await client.sendTransaction({
      ...{ account: holder, chain: null, to: address, data, gas: 10_000_000n },
    });
    const { status } = await client.waitForTransactionReceipt({ hash });
    if (status !== 'success') throw new Error(`${functionName} reverted`);
  }
  const read = (address: Address, functionName: string, ...args: unknown[]) =>
    client.readContract({
      ...{ address, abi: localDifficultVaultAbi as Abi, functionName, args, account: holder.address },
    }) as Promise<bigint>;
  const change = (functionName: string, ...args: unknown[]) =>
    write(vault, localDifficultVaultAbi, functionName, args);
  const deposit = (assets = amount) => change('deposit', assets, holder.address);
  /** Change of the holder's token balance over an action. */
  const gained = async (of: Address, act: () => Promise<void>) => {
    const before = await read(of, 'balanceOf', holder.address);
    await act();
    return (await read(of, 'balanceOf', holder.address)) - before;
  };

  it('default: with everything off it pays its preview', async () => {
    const shares = await read(vault, 'previewDeposit', amount);
    expect(await gained(vault, deposit)).toBe(shares);
    const assets = await read(vault, 'previewRedeem', shares);
    const redeem = () => change('redeem', shares, holder.address, holder.address);
    expect(await gained(token, redeem)).toBe(assets);
    expect(assets).toBe(amount);
  });

  it('behavior: fees of entry and exit are in the previews', async () => {
    await deposit();
    await change('setFees', 100n, 200n);
    const shares = await read(vault, 'previewDeposit', amount);
    expect(shares).toBe((amount * 99n) / 100n);
    expect(await gained(vault, deposit)).toBe(shares);
    const assets = await read(vault, 'previewRedeem', shares);
    expect(assets).toBeLessThan((amount * 98n) / 100n);
    expect(await gained(token, () => change('redeem', shares, holder.address, holder.address))).toBe(assets);
  });

  it('behavior: previews may differ from the result', async () => {
    await deposit();
    await change('setPreviews', 10_100n, 9_900n);
    expect(await read(vault, 'previewDeposit', amount)).toBe((amount * 101n) / 100n);
    expect(await gained(vault, deposit)).toBe(amount);
    expect(await read(vault, 'previewRedeem', amount)).toBe((amount * 99n) / 100n);
    expect(await gained(token, () => change('redeem', amount, holder.address, holder.address))).toBe(amount);
  });

  it('behavior: previews burn gas, deposits do not', async () => {
    await change('setWastedGas', 5_000_000n);
    const gasOf = (functionName: 'previewDeposit' | 'deposit', args: readonly unknown[]) =>
      client.estimateContractGas({
        ...{
          address: vault,
          abi: localDifficultVaultAbi as Abi,
          functionName,
          args,
          account: holder.address,
        },
      });
    expect(await gasOf('previewDeposit', [amount])).toBeGreaterThan(5_000_000n);
    expect(await gasOf('deposit', [amount, holder.address])).toBeLessThan(300_000n);
  });

  it('behavior: a donation moves the price only when it is made to', async () => {
    await deposit();
    await write(token, localFeeTokenAbi, 'mint', [vault, amount]);
    expect(await read(vault, 'previewRedeem', amount)).toBe(amount);
    await change('setDonatable');
    expect(await read(vault, 'previewRedeem', amount)).toBeGreaterThan(amount * 2n - 10n);
  });

  it('behavior: it claims decimals that its shares do not have', async () => {
    expect(await read(vault, 'decimals')).toBe(6);
    await change('setDecimals', 18);
    expect(await read(vault, 'decimals')).toBe(18);
  });

  it('behavior: it calls others in the middle of a deposit, and fails with them when it is made to', async () => {
    const mint = encode(localFeeTokenAbi, 'mint', [stranger, 7n]);
    await change('setAttack', token, mint, true);
    await deposit();
    expect(await read(token, 'balanceOf', stranger)).toBe(7n);

    const steal = encode(erc20Abi, 'transferFrom', [stranger, vault, 7n]);
    await change('setAttack', token, steal, false);
    expect(await gained(vault, deposit)).toBe(amount);
    await change('setAttack', token, steal, true);
    const error = await client
      .simulateContract({
        ...{ account: holder.address, address: vault, abi: [...localDifficultVaultAbi, ...erc20ErrorsAbi] },
        ...{ functionName: 'deposit', args: [amount, holder.address] },
      })
      .catch((e: unknown) => e);
    expect((error as BaseError).message).toContain('ERC20InsufficientAllowance');
  });

  it('behavior: the token takes its fee from the receiver’s amount', async () => {
    await write(token, localFeeTokenAbi, 'setFee', [100n]);
    await write(token, erc20Abi, 'transfer', [stranger, amount]);
    expect(await read(token, 'balanceOf', stranger)).toBe((amount * 99n) / 100n);
  });
});

const erc20ErrorsAbi = [
  {
    type: 'error',
    name: 'ERC20InsufficientAllowance',
    inputs: [
      { type: 'address', name: 'spender' },
      { type: 'uint256', name: 'allowance' },
      { type: 'uint256', name: 'needed' },
    ],
  },
] as const;
