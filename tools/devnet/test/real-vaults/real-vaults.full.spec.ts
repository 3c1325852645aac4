import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { ExecutorHook } from '@yield-vault/smart-account';
import { localAddresses } from '@yield-vault/testing/local';
import {
  concat,
  createPublicClient,
  createWalletClient,
  encodeAbiParameters,
  erc20Abi,
  http,
  parseEther,
  type Address,
  type Hex,
  type PublicClient,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import {
  fundWallet,
  runThroughBundler,
  setUpWallet,
  startDevnet,
  type Devnet,
  type DevnetChain,
} from '../../src/index.js';

jest.setTimeout(120_000);

const { usdc } = localAddresses[8453];
const names = ['OpenZeppelinUsdcVault', 'SoladyUsdcVault', 'SolmateUsdcVault', 'StataUsdcVault'] as const;
type VaultName = (typeof names)[number];
const amount = 40_000_000n;

describe('vaults of others, through Alto', () => {
  let devnet: Devnet;
  let chain: DevnetChain;
  let client: PublicClient;
  const wallet = privateKeyToAccount(generatePrivateKey());
  const vaults = {} as Record<VaultName, Address>;

  beforeAll(async () => {
    devnet = await startDevnet({ chains: ['base'], historyDays: 1 });
    [chain] = devnet.chains as [DevnetChain];
    client = createPublicClient({ transport: http(chain.rpcUrl), pollingInterval: 20, cacheTime: 0 });
    await fundWallet(chain, wallet.address, { ethWei: parseEther('1'), usdc: 10n * amount });
    const compiled = execFileSync(process.execPath, [join(__dirname, 'compile.mjs')], {
      encoding: 'utf8',
      maxBuffer: 2 ** 24,
    });
    const code = JSON.parse(compiled) as Record<VaultName | 'ReservePool', Hex>;
    // Its index is 1.05, so that shares and assets differ.
    const pool = await deploy(code.ReservePool, ['address', 'uint256'], [usdc, 105n * 10n ** 25n]);
    for (const name of names) {
      vaults[name] = await deploy(code[name], ['address'], [name === 'StataUsdcVault' ? pool : usdc]);
    }
    await setUpWallet(chain, wallet);
  });
  afterAll(() => devnet.stop());

  async function deploy(code: Hex, types: readonly string[], values: readonly unknown[]): Promise<Address> {
    const sender = createWalletClient({ account: wallet, transport: http(chain.rpcUrl) });
    const parameters = encodeAbiParameters(
      types.map((type) => ({ type })),
      values,
    );
    const hash = await sender.sendTransaction({ chain: null, data: concat([code, parameters]) });
    const { contractAddress } = await client.waitForTransactionReceipt({ hash });
    if (!contractAddress) throw new Error('nothing was deployed');
    return contractAddress;
  }

  const balance = (token: Address) =>
    client.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [wallet.address] });
  const allowance = (spender: Address) =>
    client.readContract({
      address: usdc,
      abi: erc20Abi,
      functionName: 'allowance',
      args: [wallet.address, spender],
    });
  async function run(hooks: readonly ExecutorHook[]) {
    const { success } = await runThroughBundler(chain, wallet, hooks);
    expect(success).toBe(true);
  }

  it.each(names)('%s: deposit and redeem', async (name) => {
    const vault = vaults[name];
    const deposit = { hook: 'deposit', vault, token: usdc, amount, minShares: 1n, keepOne: true } as const;
    await run([deposit]);
    await run([deposit]);
    const shares = await balance(vault);
    expect(shares).toBeGreaterThan(amount);
    expect(await allowance(vault)).toBe(1n);

    const before = await balance(usdc);
    await run([{ hook: 'redeem', vault, token: usdc, shares: 'all', minAssets: (2n * amount * 99n) / 100n }]);
    expect(await balance(vault)).toBe(0n);
    // Less the gas.
    expect((await balance(usdc)) - before).toBeGreaterThan((2n * amount * 99n) / 100n);
  });

  it.each(names.map((from, index) => [from, names[(index + 1) % names.length]!] as const))(
    'rebalance from %s to %s',
    async (from, to) => {
      const token = usdc;
      const target = await balance(vaults[to]);
      await run([{ hook: 'deposit', vault: vaults[from], token, amount, minShares: 1n }]);
      await run([
        { hook: 'redeem', vault: vaults[from], token, shares: 'all', minAssets: (amount * 99n) / 100n },
        { hook: 'deposit', vault: vaults[to], token, amount: 'previous', minShares: 1n },
      ]);
      expect(await balance(vaults[from])).toBe(0n);
      expect(await balance(vaults[to])).toBeGreaterThan(target);
    },
  );
});
