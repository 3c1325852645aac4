import { setTimeout as pause } from 'node:timers/promises';
import { createActiveChains } from '@yield-vault/chains';
import { canonical, deployContracts } from '@yield-vault/contracts';
import { localOperator, localUsdcAbi, localVaults, provisionLocalChain } from '@yield-vault/testing/local';
import { UpstreamUnavailableError, vaultIdOf, type RankedVault } from '@yield-vault/protocol';
import {
  buildRankedVault,
  RpcFailure,
  startAnvil,
  startFakeRpc,
  startRpcProxy,
  testAccount,
  type Anvil,
} from '@yield-vault/testing';
import {
  createTestClient,
  createWalletClient,
  erc20Abi,
  erc4626Abi,
  formatUnits,
  http,
  numberToHex,
  padHex,
  parseEther,
  publicActions,
  walletActions,
  type Address,
  type Hex,
} from 'viem';
import { base } from 'viem/chains';
import { buildChainConfig } from '../test/chain-config.js';
import { openDatabase } from '@yield-vault/database';
import type { DatabaseHandle } from '@yield-vault/protocol/database';
import { createDatabaseScanStore } from './adapters/database-scan-store.js';
import { createPositions, type PositionsOptions } from './create-positions.js';

const chainId = 8453;
const usdc = canonical.usdc[chainId];
const unit = 1_000_000n;
const definitions = localVaults[chainId].filter(({ asset }) => asset === 'USDC');
const listed = definitions.map((vault): RankedVault =>
  buildRankedVault({
    vaultId: vaultIdOf(chainId, vault.address),
    vaultAddress: vault.address,
    name: vault.name,
    protocol: vault.protocol,
    shareDecimals: 6 + vault.decimalsOffset,
  }),
);
const vaultOf = (kind: string): Address => definitions.find((vault) => vault.kind === kind)!.address;
const steady = vaultOf('steady');
const faster = vaultOf('faster');
const exitFee = vaultOf('exit-fee');
const owner = testAccount('owner');
const other = testAccount('other');

function clientOf(rpcUrl: string) {
  return createTestClient({ mode: 'anvil', chain: base, transport: http(rpcUrl), pollingInterval: 20 })
    .extend(publicActions)
    .extend(walletActions);
}

// The gas of a vault depends on the second, and Anvil estimates it to the unit.
const vaultGas = 2_000_000n;

describe('positions on a local chain', () => {
  let anvil: Anvil;
  let node: ReturnType<typeof clientOf>;
  let database: DatabaseHandle;
  const positionsOn = (
    rpcUrl: string,
    base: PositionsOptions = {},
    vaults: readonly RankedVault[] = listed,
    { db } = database,
  ) =>
    createPositions({
      chains: createActiveChains({ chains: { base: buildChainConfig(rpcUrl) } }),
      vaults: { list: () => vaults },
      store: createDatabaseScanStore({ db }),
      options: { base },
    });
  const status = (wallet: Address) => positionsOn(anvil.rpcUrl).status(wallet);
  /** Read a wallet that no scan knows yet. */
  const readAnew = async (
    rpcUrl: string,
    options: PositionsOptions,
    use: (positions: ReturnType<typeof createPositions>) => Promise<void>,
  ) => {
    const fresh = await openDatabase({ memory: true });
    const stop = new AbortController();
    const positions = positionsOn(rpcUrl, options, listed, fresh);
    const background = positions.readPast(stop.signal);
    try {
      await use(positions);
    } finally {
      stop.abort();
      await background;
      await fresh.close();
    }
  };
  const positionAt = async (vault: Address) => {
    const { positions } = await status(owner.address);
    return positions.find(({ vaultId }) => vaultId === vaultIdOf(chainId, vault));
  };

  const mined = async (hash: `0x${string}`) => {
    const receipt = await node.waitForTransactionReceipt({ hash });
    expect(receipt.status).toBe('success');
    const { timestamp } = await node.getBlock({ blockNumber: receipt.blockNumber });
    return new Date(Number(timestamp) * 1000).toISOString();
  };
  const deposit = async (vault: Address, assets: bigint, account = owner, receiver = owner.address) => {
    await mined(
      await node.writeContract({
        account,
        address: usdc,
        abi: erc20Abi,
        functionName: 'approve',
        args: [vault, assets],
      }),
    );
    return mined(
      await node.writeContract({
        account,
        address: vault,
        abi: erc4626Abi,
        functionName: 'deposit',
        args: [assets, receiver],
        gas: vaultGas,
      }),
    );
  };
  const shareBalance = (vault: Address, wallet = owner.address) =>
    node.readContract({ address: vault, abi: erc4626Abi, functionName: 'balanceOf', args: [wallet] });
  const redeem = async (vault: Address, shares: bigint) => {
    const before = await usdcBalance();
    await mined(
      await node.writeContract({
        account: owner,
        address: vault,
        abi: erc4626Abi,
        functionName: 'redeem',
        args: [shares, owner.address, owner.address],
        gas: vaultGas,
      }),
    );
    return (await usdcBalance()) - before;
  };
  const usdcBalance = () =>
    node.readContract({ address: usdc, abi: erc20Abi, functionName: 'balanceOf', args: [owner.address] });
  const days = async (count: number) => {
    await node.increaseTime({ seconds: count * 86_400 });
    await node.mine({ blocks: 1 });
  };

  beforeAll(async () => {
    database = await openDatabase({ memory: true });
    anvil = await startAnvil({ chainId });
    node = clientOf(anvil.rpcUrl);
    await provisionLocalChain(node as Parameters<typeof provisionLocalChain>[0], chainId);
    await node.impersonateAccount({ address: localOperator });
    for (const { address } of [owner, other]) {
      await node.setBalance({ address, value: parseEther('1') });
      await mined(
        await node.writeContract({
          account: localOperator,
          address: usdc,
          abi: localUsdcAbi,
          functionName: 'mint',
          args: [address, 100_000n * unit],
        }),
      );
    }
    await deployContracts(
      createWalletClient({ account: other, chain: base, transport: http(anvil.rpcUrl) }),
      node,
    );
  }, 60_000);
  afterAll(async () => {
    await anvil?.stop();
    await database?.close();
  });

  it('behavior: a wallet without history has no positions', async () => {
    expect(await status(testAccount('nobody').address)).toEqual({
      positions: [],
      totalValueUsd: 0,
      totalDeposited: 0,
      totalYieldEarned: 0,
      totalGasPaidUsd: 0,
      positionCount: 0,
    });
  });

  it('behavior: deposits by anyone, yield, a partial and a full redeem', async () => {
    const openedAt = await deposit(steady, 1_000n * unit);
    await days(20);
    await deposit(steady, 500n * unit, other);

    const shares = await shareBalance(steady);
    const worth = await node.readContract({
      address: steady,
      abi: erc4626Abi,
      functionName: 'previewRedeem',
      args: [shares],
    });
    expect(worth).toBeGreaterThan(1_500n * unit);
    expect(await positionAt(steady)).toEqual({
      vaultId: vaultIdOf(chainId, steady),
      vaultAddress: steady,
      vaultName: expect.any(String),
      protocol: expect.any(String),
      chain: 'base',
      asset: 'USDC',
      shares: shares.toString(),
      depositedAmount: '1500',
      costBasis: 'exact',
      currentValue: formatUnits(worth, 6),
      unrealizedYield: formatUnits(worth - 1_500n * unit, 6),
      apy: 5,
      depositTimestamp: openedAt,
    });

    const received = await redeem(steady, shares / 2n);
    const basisLeft = 1_500n * unit - (1_500n * unit * (shares / 2n)) / shares;
    expect(await positionAt(steady)).toMatchObject({
      depositedAmount: formatUnits(basisLeft, 6),
      depositTimestamp: openedAt,
    });

    const rest = await redeem(steady, await shareBalance(steady));
    expect(await positionAt(steady)).toBeUndefined();
    const { totalYieldEarned } = await status(owner.address);
    expect(totalYieldEarned).toBeCloseTo(Number(received + rest - 1_500n * unit) / 1e6, 6);
  });

  it('behavior: a new deposit opens a new episode and keeps realised profit', async () => {
    const before = (await status(owner.address)).totalYieldEarned;
    const openedAt = await deposit(steady, 10n * unit);
    expect(await positionAt(steady)).toMatchObject({ depositedAmount: '10', depositTimestamp: openedAt });
    expect((await status(owner.address)).totalYieldEarned).toBeCloseTo(before, 4);
  });

  it('behavior: received shares cost their worth at the transfer; sent shares reduce the cost', async () => {
    await deposit(faster, 800n * unit, other, other.address);
    const received = await shareBalance(faster, other.address);
    const transfer = async (account: typeof owner, to: Address, shares: bigint) => {
      const hash = await node.writeContract({
        account,
        address: faster,
        abi: erc20Abi,
        functionName: 'transfer',
        args: [to, shares],
      });
      await mined(hash);
      return node.getTransactionReceipt({ hash });
    };
    const { blockNumber } = await transfer(other, owner.address, received);
    const worthThen = await node.readContract({
      address: faster,
      abi: erc4626Abi,
      functionName: 'convertToAssets',
      args: [received],
      blockNumber,
    });
    await days(10);
    expect(await positionAt(faster)).toMatchObject({ depositedAmount: formatUnits(worthThen, 6) });

    await transfer(owner, owner.address, received);
    await transfer(owner, other.address, received / 4n);
    const left = worthThen - (worthThen * (received / 4n)) / received;
    expect(await positionAt(faster)).toMatchObject({ depositedAmount: formatUnits(left, 6) });
  });

  it('behavior: an exit fee is in the value', async () => {
    await deposit(exitFee, 1_000n * unit);
    const position = await positionAt(exitFee);
    expect(Number(position!.currentValue)).toBeLessThan(1_000);
    expect(Number(position!.unrealizedYield)).toBeCloseTo(-1, 1);
  });

  it('behavior: the totals are the sum of the positions', async () => {
    const { positions, positionCount, totalValueUsd, totalDeposited } = await status(owner.address);
    expect(positionCount).toBe(positions.length);
    expect(positionCount).toBe(3);
    const sum = (field: 'currentValue' | 'depositedAmount') =>
      positions.reduce((total, position) => total + Number(position[field]), 0);
    expect(totalValueUsd).toBeCloseTo(sum('currentValue'), 5);
    expect(totalDeposited).toBeCloseTo(sum('depositedAmount'), 5);
    const values = positions.map(({ currentValue }) => Number(currentValue));
    expect(values).toEqual([...values].sort((a, b) => b - a));
  });

  it('behavior: small log requests give the same response, at first a part of it', async () => {
    await node.mine({ blocks: 300 });
    const whole = await status(owner.address);
    await readAnew(anvil.rpcUrl, { blocks: 30, requestsPerSecond: 1_000 }, async (positions) => {
      const bases = async () =>
        (await positions.status(owner.address)).positions.map((each) => each.costBasis);
      expect(await bases()).toEqual(['pending', 'pending', 'pending']);
      while ((await bases()).includes('pending')) await pause(20);
      expect((await positions.status(owner.address)).positions).toEqual(whole.positions);
    });
  });

  it('behavior: history before the first block that is read is estimated, not lost', async () => {
    const logsFromBlock = await node.getBlockNumber();
    await readAnew(anvil.rpcUrl, { logsFromBlock }, async (positions) => {
      const { positions: shown } = await positions.status(owner.address);
      expect(shown).toHaveLength(3);
      const plain = shown.find(({ vaultId }) => vaultId === vaultIdOf(chainId, faster))!;
      expect(plain.depositedAmount).toBe(plain.currentValue);
    });
  });

  it('behavior: a redeem of shares from before the first block that is read earns nothing', async () => {
    const logsFromBlock = await node.getBlockNumber();
    await readAnew(anvil.rpcUrl, { logsFromBlock }, async (positions) => {
      const earned = async () => (await positions.status(owner.address)).totalYieldEarned;
      const before = await earned();
      const paid = await redeem(steady, (await shareBalance(steady)) / 2n);
      expect(paid).toBeGreaterThan(4n * unit);
      expect(await earned()).toBeCloseTo(before, 4);
    });
  });

  it('behavior: any number of incoming transfers costs a bounded number of historic reads', async () => {
    const wallet = testAccount('dusted').address;
    await deposit(faster, 100n * unit, other, other.address);
    const send = (shares: bigint) =>
      node.writeContract({
        ...{ account: other, address: faster, abi: erc20Abi, functionName: 'transfer' },
        ...{ args: [wallet, shares], gas: vaultGas },
      });
    const dust = async () => {
      for (let sent = 0; sent < 60; sent++) await send(1n);
    };
    const shares = (await shareBalance(faster, other.address)) / 2n;
    await dust();
    const { blockNumber } = await node.waitForTransactionReceipt({ hash: await send(shares) });
    await dust();
    const worthThen = await node.readContract({
      address: faster,
      abi: erc4626Abi,
      functionName: 'convertToAssets',
      args: [shares],
      blockNumber,
    });
    await days(10);

    const pinned = numberToHex(await node.getBlockNumber());
    const proxy = await startRpcProxy(anvil.rpcUrl);
    try {
      const { positions } = await positionsOn(proxy.url).status(wallet);
      // A base unit of shares was worth one of the asset.
      expect(positions).toMatchObject([{ depositedAmount: formatUnits(worthThen + 120n, 6) }]);
      const reads = proxy.batches.flat().filter(({ method }) => method === 'eth_call');
      expect(reads.filter(({ params }) => params[1] !== pinned && params[1] !== 'latest').length).toBe(100);
    } finally {
      await proxy.stop();
    }
  });

  it('behavior: a deposit in a block that was replaced is gone', async () => {
    const id = await node.snapshot();
    const before = await status(owner.address);
    await deposit(steady, 70n * unit);
    expect((await status(owner.address)).totalDeposited).toBeCloseTo(before.totalDeposited + 70, 5);
    await node.revert({ id });
    await node.mine({ blocks: 3 });
    expect((await status(owner.address)).totalDeposited).toBeCloseTo(before.totalDeposited, 5);
  });

  describe('beside vaults that burn all the gas they get', () => {
    const burners = ['0xb1', '0xb2', '0xb3'].map((end) => padHex(end as Hex, { dir: 'left', size: 20 }));
    // By place in the list they come first, so that they could leave nothing to the others.
    const all = [
      ...burners.map((vaultAddress) =>
        buildRankedVault({ vaultId: vaultIdOf(chainId, vaultAddress), vaultAddress }),
      ),
      ...listed,
    ];
    const readThrough = async (vaults: readonly RankedVault[]) => {
      const proxy = await startRpcProxy(anvil.rpcUrl);
      try {
        const response = await positionsOn(proxy.url, {}, vaults).status(owner.address);
        return { response, requests: proxy.requests };
      } finally {
        await proxy.stop();
      }
    };

    it.each([
      // They burn the gas of the first call, so each balance is then read alone.
      ['whatever they are asked', '0xfe', 5],
      // It answers balanceOf with 100 000 000, and burns all for everything else.
      ['when they are asked for a value', '0x5f3560e01c6370a0823114600f57fe5b6305f5e1005f5260205ff3', 3],
    ] as const)('behavior: the others are read (%s)', async (_, bytecode, requests) => {
      for (const address of burners) await node.setCode({ address, bytecode });
      const plain = await readThrough(listed);
      expect(plain.response.positionCount).toBe(3);
      expect(plain.requests).toBe(3);
      const beside = await readThrough(all);
      expect(beside.response).toEqual(plain.response);
      expect(beside.requests).toBe(requests);
    });
  });
});

describe('positions while a node misbehaves', () => {
  const final = { number: '0x1', hash: padHex('0x1'), timestamp: '0x1', transactions: [] };
  const zeroBalances = {
    eth_blockNumber: () => '0x10',
    eth_getBlockByNumber: () => final,
    eth_getLogs: () => [],
  };
  let database: DatabaseHandle;
  beforeAll(async () => {
    database = await openDatabase({ memory: true });
  });
  afterAll(() => database.close());

  it.each(['cut', 'silent', 'garbage', 'http-500'] as const)(
    'error: UpstreamUnavailableError for %s',
    async (fault) => {
      const [healthy, faulty] = await Promise.all([startFakeRpc({}), startFakeRpc({})]);
      try {
        faulty.setFault(fault);
        const chains = createActiveChains({
          chains: {
            ethereum: buildChainConfig(healthy.rpcUrl, 1),
            base: buildChainConfig(faulty.rpcUrl),
          },
        });
        const vaults = { list: (chain: string) => (chain === 'base' ? listed : []) };
        const reading = createPositions({ chains, vaults, store: createDatabaseScanStore(database) }).status(
          owner.address,
        );
        await expect(reading).rejects.toBeInstanceOf(UpstreamUnavailableError);
        await expect(reading).rejects.toMatchObject({ details: { dependency: 'rpc:base' } });
      } finally {
        await Promise.all([healthy.stop(), faulty.stop()]);
      }
    },
  );

  it.each([
    [-32603, 'internal error'],
    [-32000, 'header not found'],
    [-32016, 'over rate limit'],
  ])(
    'error: a read that a node refuses is an outage, never a balance of zero (%s %s)',
    async (code, message) => {
      const node = await startFakeRpc({
        ...zeroBalances,
        eth_call: () => {
          throw new RpcFailure(code, message);
        },
      });
      try {
        const chains = createActiveChains({ chains: { base: buildChainConfig(node.rpcUrl) } });
        const vaults = { list: () => listed };
        const store = createDatabaseScanStore(database);
        const reading = createPositions({ chains, vaults, store }).status(owner.address);
        await expect(reading).rejects.toBeInstanceOf(UpstreamUnavailableError);
        await expect(reading).rejects.toMatchObject({ details: { dependency: 'rpc:base' } });
      } finally {
        await node.stop();
      }
    },
  );
});
