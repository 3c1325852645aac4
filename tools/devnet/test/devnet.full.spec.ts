import { localContracts } from '@yield-vault/contracts';
import {
  localAddresses,
  localVaultAbi,
  localVaults,
  donateToVault,
  realiseLoss,
  setPaused,
  setRoom,
} from '@yield-vault/testing/local';
import {
  BaseError,
  createPublicClient,
  encodeFunctionData,
  erc20Abi,
  http,
  parseEther,
  type Address,
  type PublicClient,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import {
  depositThroughBundler,
  type Devnet,
  type DevnetChain,
  fundWallet,
  PortTakenError,
  setUpWallet,
  startDevnet,
} from '../src/index.js';

jest.setTimeout(120_000);

const hour = 3_600;
const historyHours = 36 * 24;

describe('startDevnet', () => {
  let devnet: Devnet;
  beforeAll(async () => {
    devnet = await startDevnet();
  });
  afterAll(async () => {
    await devnet.stop();
  });

  it('default: both chains, with our contracts', () => {
    expect(devnet.chains.map(({ key, chainId }) => [key, chainId])).toEqual([
      ['ethereum', 1],
      ['base', 8453],
    ]);
  });

  describe.each(['ethereum', 'base'] as const)('%s', (key) => {
    let chain: DevnetChain;
    let client: PublicClient;
    let hours: { number: bigint; timestamp: number }[];
    beforeAll(async () => {
      chain = devnet.chains.find((candidate) => candidate.key === key) as DevnetChain;
      client = createPublicClient({
        transport: http(chain.rpcUrl, { batch: { batchSize: 200 } }),
        pollingInterval: 20,
        cacheTime: 0,
      });
      const head = Number(await client.getBlockNumber());
      const blocks = await Promise.all(
        Array.from({ length: head + 1 }, (_, number) => client.getBlock({ blockNumber: BigInt(number) })),
      );
      hours = blocks
        .map(({ number, timestamp }) => ({ number, timestamp: Number(timestamp) }))
        .filter(({ timestamp }) => timestamp % hour === 0);
    });

    const valueAt = (vault: Address, blockNumber: bigint) =>
      client.readContract({
        address: vault,
        abi: localVaultAbi,
        functionName: 'convertToAssets',
        args: [10n ** 24n],
        blockNumber,
      });

    it('default: contracts and vaults have code', async () => {
      const { usdc, weth, ethUsdFeed, usdcUsdFeed } = localAddresses[chain.chainId];
      const expected = [
        ...[
          chain.entryPoint,
          ...Object.values(localContracts(chain.chainId)),
          usdc,
          weth,
          ethUsdFeed,
          usdcUsdFeed,
        ],
        ...localVaults[chain.chainId].map(({ address }) => address),
      ];
      for (const address of expected) {
        expect([address, await client.getCode({ address })]).toEqual([
          address,
          expect.stringMatching(/^0x../),
        ]);
      }
    });

    it('behavior: 36 days of hourly blocks at full hours, and a head at real time', async () => {
      const seconds = hours.map(({ timestamp }) => timestamp);
      const first = seconds[0] ?? NaN;
      expect(seconds.slice(0, historyHours + 1)).toEqual(
        Array.from({ length: historyHours + 1 }, (_, index) => first + index * hour),
      );
      const { timestamp } = await client.getBlock();
      expect(Math.abs(Number(timestamp) - Date.now() / 1000)).toBeLessThan(30);
    });

    it('behavior: every past hour can be read, and the price of a steady vault only grows', async () => {
      const [vault] = localVaults[chain.chainId];
      const prices = await Promise.all(
        hours.map(({ number }) => valueAt((vault as { address: Address }).address, number)),
      );
      expect(prices.length).toBeGreaterThan(historyHours);
      expect(prices.every((price, index) => index === 0 || price > (prices[index - 1] ?? price))).toBe(true);
    });

    it('behavior: each vault earned about its APY in 30 days, the lossy ones less', async () => {
      const last = hours[hours.length - 1] as { number: bigint };
      const anchor = hours[hours.length - 1 - 30 * 24] as { number: bigint };
      // The price of a gas bomb cannot be asked for in the end.
      for (const vault of localVaults[chain.chainId].filter(({ kind }) => kind !== 'gas-bomb')) {
        const [before, after] = await Promise.all([
          valueAt(vault.address, anchor.number),
          valueAt(vault.address, last.number),
        ]);
        const apy = ((Number(after) / Number(before)) ** (365 / 30) - 1) * 100;
        const share = apy / vault.apyPercent;
        expect([vault.name, share > (vault.kind === 'lossy' ? 0.05 : 0.8)]).toEqual([vault.name, true]);
        expect([vault.name, share < (vault.kind === 'lossy' ? 0.5 : 1.3)]).toEqual([vault.name, true]);
      }
    });

    it('behavior: a faster vault harvests in steps', async () => {
      const vault = localVaults[chain.chainId].find(({ kind }) => kind === 'faster') as { address: Address };
      const prices = await Promise.all(hours.map(({ number }) => valueAt(vault.address, number)));
      const growth = prices.slice(1).map((price, index) => Number(price) / Number(prices[index]) - 1);
      expect(growth.filter((step) => step > 1e-4)).toHaveLength(5);
      expect(Math.max(...growth)).toBeLessThan(1e-3);
    });

    it('behavior: a vault with a gap did not respond for 30 hours five days ago', async () => {
      const { address } = localVaults[chain.chainId].find(({ kind }) => kind === 'gap') as {
        address: Address;
      };
      const responses = await Promise.all(
        hours.map(({ number }) =>
          valueAt(address, number)
            .then(() => true)
            .catch(() => false),
        ),
      );
      const silent = hours.filter((_, index) => responses[index] === false);
      expect(silent).toHaveLength(30);
      const [from, until] = [silent[0], silent[29]].map((block) => block?.timestamp ?? NaN);
      expect((until ?? NaN) - (from ?? NaN)).toBe(29 * hour);
      const daysAgo = (Date.now() / 1000 - (from ?? NaN)) / 86_400;
      expect(daysAgo).toBeGreaterThan(4.9);
      expect(daysAgo).toBeLessThan(5.1);
    });

    it('behavior: a gas bomb goes off five hours ago', async () => {
      for (const { address } of localVaults[chain.chainId].filter(({ kind }) => kind === 'gas-bomb')) {
        const last = hours.findIndex(
          ({ timestamp }) => timestamp === (hours[0]?.timestamp ?? NaN) + historyHours * hour,
        );
        const [before, after] = [hours[last - 6], hours[last - 5]].map((block) => block?.number ?? 0n);
        const data = encodeFunctionData({ abi: localVaultAbi, functionName: 'convertToAssets', args: [1n] });
        const request = (blockNumber?: bigint) =>
          client.call({ to: address, data, gas: 10_000_000n, blockNumber });
        expect((await request(before)).data).toMatch(/^0x/);
        await expect(request(after)).rejects.toThrow(BaseError);
      }
    });

    it.each(['USDC', 'WETH'] as const)(
      'behavior: a donation and a loss move the price in %s',
      async (asset) => {
        const vault = localVaults[chain.chainId].find((one) => one.kind === 'steady' && one.asset === asset)!;
        const price = async () => Number(await valueAt(vault.address, await client.getBlockNumber()));
        const before = await price();
        await donateToVault(chain, vault, 0.03);
        expect((await price()) / before).toBeCloseTo(1.03, 4);
        await realiseLoss(chain, vault, 0.02);
        expect((await price()) / before).toBeCloseTo(1.03 * 0.98, 4);
      },
    );

    it('behavior: vaults are paused, opened and closed', async () => {
      const find = (kind: string) => localVaults[chain.chainId].find((vault) => vault.kind === kind)!;
      const maxDeposit = ({ address }: { address: Address }) =>
        client.readContract({ address, abi: localVaultAbi, functionName: 'maxDeposit', args: [address] });
      const [pausable, capped] = [find('paused'), find('capped')];
      await setPaused(chain, pausable, false);
      expect(await maxDeposit(pausable)).toBeGreaterThan(0n);
      await setPaused(chain, pausable, true);
      expect(await maxDeposit(pausable)).toBe(0n);
      await setRoom(chain, capped, 12.5);
      expect(await maxDeposit(capped)).toBe(12_500_000n);
    });

    it('behavior: blocks follow a transaction quickly, and keep coming', async () => {
      await fundWallet(chain, privateKeyToAccount(generatePrivateKey()).address, { usdc: 1n });
      const started = Date.now();
      const from = await client.getBlockNumber();
      while ((await client.getBlockNumber()) < from + 2n && Date.now() - started < 10_000) {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      expect(Date.now() - started).toBeLessThan(4_000);
    });

    it('behavior: a deposit goes through the bundler, its gas paid in USDC', async () => {
      const wallet = privateKeyToAccount(generatePrivateKey());
      await fundWallet(chain, wallet.address, { ethWei: parseEther('0.01'), usdc: 50_000_000n });
      await setUpWallet(chain, wallet);
      const [vault] = localVaults[chain.chainId];
      const { address } = vault as { address: Address };
      const before = await client.getBalance({ address: wallet.address });
      const receipt = await depositThroughBundler(chain, wallet, address, 10_000_000n);
      expect(receipt.success).toBe(true);

      const balance = (token: Address) =>
        client.readContract({
          address: token,
          abi: erc20Abi,
          functionName: 'balanceOf',
          args: [wallet.address],
        });
      expect(await balance(address)).toBeGreaterThan(0n);
      expect(await balance(localAddresses[chain.chainId].usdc)).toBeLessThan(40_000_000n);
      expect(await client.getBalance({ address: wallet.address })).toBe(before);
    });
  });

  it('error: forks together with another paymaster', async () => {
    const started = startDevnet({ relayMode: 'managed-fork', gas: { paymaster: 'circle' } });
    await expect(started).rejects.toThrow(TypeError);
  });

  it('error: a taken port, before anything starts', async () => {
    const port = Number(new URL(devnet.chains[0]?.rpcUrl ?? '').port);
    const started = startDevnet({ chains: ['base'], ports: { base: { rpc: port, bundler: 0 } } });
    await expect(started).rejects.toThrow(PortTakenError);
    await expect(started).rejects.toMatchObject({ port, variable: 'DEVNET_BASE_RPC_PORT' });
  });
});
