import { setTimeout as pause } from 'node:timers/promises';
import { createActiveChains } from '@yield-vault/chains';
import { chainFacts, deployContracts, localContracts, yieldVaultAccountAbi } from '@yield-vault/contracts';
import { localOperator, localUsdcAbi, localVaults, provisionLocalChain } from '@yield-vault/testing/local';
import { delegationCode } from '@yield-vault/smart-account';
import { UpstreamUnavailableError, vaultIdOf, type RankedVault } from '@yield-vault/protocol';
import {
  buildRankedVault,
  RpcFailure,
  startAnvil,
  startFakeRpc,
  startLogNode,
  startRpcProxy,
  testAccount,
  type Anvil,
  type FakeRpc,
} from '@yield-vault/testing';
import {
  createTestClient,
  createWalletClient,
  erc4626Abi,
  formatUnits,
  http,
  padHex,
  parseEther,
  publicActions,
  walletActions,
  type Account,
  type Address,
  type Hex,
} from 'viem';
import { base } from 'viem/chains';
import { buildChainConfig } from '../test/chain-config.js';
import { startJobs, type DatabaseHandle } from '@yield-vault/database';
import { openTestDatabase } from '@yield-vault/database/testing';
import { followChain } from '../test/store-events.js';
import { createPositions, type PositionsOptions } from './create-positions.js';

const chainId = 8453;
const usdc = chainFacts(chainId).usdc.address;
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

const abi = [...localUsdcAbi, ...erc4626Abi];

// The gas of a vault depends on the second, and Anvil estimates it to the unit.
const vaultGas = 2_000_000n;

describe('positions on a local chain', () => {
  let anvil: Anvil;
  let node: ReturnType<typeof clientOf>;
  let database: DatabaseHandle;
  const chainsOf = (rpcUrl: string) => createActiveChains({ chains: { base: buildChainConfig(rpcUrl) } });
  const positionsOn = async (
    rpcUrl: string,
    vaults: readonly RankedVault[] = listed,
    {
      from = database,
      firstBlock = 0n,
      base = {},
    }: { from?: DatabaseHandle; firstBlock?: bigint; base?: PositionsOptions } = {},
  ) => {
    const addresses = vaults.map(({ vaultAddress }) => vaultAddress);
    return createPositions({
      chains: chainsOf(rpcUrl),
      vaults: { list: () => vaults },
      database: from,
      follower: await followChain(from, chainsOf(anvil.rpcUrl).require('base'), addresses, firstBlock),
      options: { base },
    });
  };
  const status = async (wallet: Address) => (await positionsOn(anvil.rpcUrl)).status(wallet);
  /** Read from the newest block on, in a database of its own. */
  const readAnew = async (
    base: PositionsOptions,
    use: (positions: ReturnType<typeof createPositions>) => Promise<void>,
  ) => {
    const from = await openTestDatabase();
    const firstBlock = await node.getBlockNumber();
    const positions = await positionsOn(anvil.rpcUrl, listed, { from, firstBlock, base });
    const { stop } = startJobs(() => positions.jobs);
    try {
      await use(positions);
    } finally {
      await stop();
      await from.close();
    }
  };
  const positionAt = async (vault: Address) => {
    const { positions } = await status(owner.address);
    return positions.find(({ vaultId }) => vaultId === vaultIdOf(chainId, vault));
  };

  /** Send a call. @returns its receipt */
  const send = async (
    account: Account | Address,
    address: Address,
    functionName: string,
    ...args: unknown[]
  ) => {
    const call = { account, address, abi, functionName, args, gas: vaultGas };
    const hash = await node.writeContract(call as never);
    const receipt = await node.waitForTransactionReceipt({ hash });
    expect(receipt.status).toBe('success');
    return receipt;
  };
  const read = (address: Address, functionName: string, args: unknown[], blockNumber?: bigint) =>
    node.readContract({ address, abi, functionName, args, blockNumber } as never) as Promise<bigint>;
  /** Deposit. @returns its time */
  const deposit = async (vault: Address, assets: bigint, account = owner, receiver = owner.address) => {
    await send(account, usdc, 'approve', vault, assets);
    const { blockNumber } = await send(account, vault, 'deposit', assets, receiver);
    const { timestamp } = await node.getBlock({ blockNumber });
    return new Date(Number(timestamp) * 1000).toISOString();
  };
  const shareBalance = (vault: Address, wallet = owner.address) => read(vault, 'balanceOf', [wallet]);
  const usdcBalance = () => read(usdc, 'balanceOf', [owner.address]);
  const redeem = async (vault: Address, shares: bigint) => {
    const before = await usdcBalance();
    await send(owner, vault, 'redeem', shares, owner.address, owner.address);
    return (await usdcBalance()) - before;
  };
  const days = async (count: number) => {
    await node.increaseTime({ seconds: count * 86_400 });
    await node.mine({ blocks: 1 });
  };

  beforeAll(async () => {
    database = await openTestDatabase();
    anvil = await startAnvil({ chainId });
    node = clientOf(anvil.rpcUrl);
    await provisionLocalChain(node as Parameters<typeof provisionLocalChain>[0], chainId);
    await node.impersonateAccount({ address: localOperator });
    for (const { address } of [owner, other]) {
      await node.setBalance({ address, value: parseEther('1') });
      await send(localOperator, usdc, 'mint', address, 100_000n * unit);
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

  it('behavior: deposits by anyone, yield, a partial and a full redeem', async () => {
    const openedAt = await deposit(steady, 1_000n * unit);
    await days(20);
    await deposit(steady, 500n * unit, other);

    const shares = await shareBalance(steady);
    const worth = await read(steady, 'previewRedeem', [shares]);
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
    const { blockNumber } = await send(other, faster, 'transfer', owner.address, received);
    const worthThen = await read(faster, 'convertToAssets', [received], blockNumber);
    await days(10);
    expect(await positionAt(faster)).toMatchObject({ depositedAmount: formatUnits(worthThen, 6) });

    await send(owner, faster, 'transfer', owner.address, received);
    await send(owner, faster, 'transfer', other.address, received / 4n);
    const left = worthThen - (worthThen * (received / 4n)) / received;
    expect(await positionAt(faster)).toMatchObject({ depositedAmount: formatUnits(left, 6) });
  });

  it('behavior: an exit fee is in the value', async () => {
    await deposit(exitFee, 1_000n * unit);
    const position = await positionAt(exitFee);
    expect(Number(position!.currentValue)).toBeLessThan(1_000);
    expect(Number(position!.unrealizedYield)).toBeCloseTo(-1, 1);
  });

  it('behavior: the past that is read equals the events that were followed', async () => {
    const followed = await status(owner.address);
    await readAnew({}, async (positions) => {
      const first = await positions.status(owner.address);
      // The newest block has the first deposit into one of the vaults.
      const states = first.positions.map(({ costBasis }) => costBasis);
      expect(states.sort()).toEqual(['exact', 'pending', 'pending']);
      let now = first;
      while (now.positions.some(({ costBasis }) => costBasis !== 'exact')) {
        await pause(20);
        now = await positions.status(owner.address);
      }
      expect(now).toEqual(followed);
    });
  });

  it('behavior: history before the first block that is read is estimated, not lost', async () => {
    await readAnew({ logsFromBlock: await node.getBlockNumber() }, async (positions) => {
      const { positions: shown } = await positions.status(owner.address);
      expect(shown).toHaveLength(3);
      const plain = shown.find(({ vaultId }) => vaultId === vaultIdOf(chainId, faster))!;
      expect(plain.depositedAmount).toBe(plain.currentValue);
    });
  });

  it('behavior: a redeem of shares from before the first block that is read earns nothing', async () => {
    await readAnew({ logsFromBlock: await node.getBlockNumber() }, async (positions) => {
      const earned = async () => (await positions.status(owner.address)).totalYieldEarned;
      const before = await earned();
      const paid = await redeem(steady, (await shareBalance(steady)) / 2n);
      expect(paid).toBeGreaterThan(4n * unit);
      expect(await earned()).toBeCloseTo(before, 4);
    });
  });

  describe('the state of wallets', () => {
    const { account, executor } = localContracts(chainId);
    const executorType = 2n;
    const walletOf = async (address: Address, vaults = listed) => {
      const { wallets } = await (await positionsOn(anvil.rpcUrl, vaults)).status(address);
      return wallets['base']!;
    };
    const delegate = async (name: string, bytecode: Hex) => {
      const { address } = testAccount(name);
      await node.setCode({ address, bytecode });
      return address;
    };

    it('default: ready once it delegates to our account, and not without a default module', async () => {
      const address = await delegate('ready', delegationCode(account));
      expect(await walletOf(address)).toEqual({ setup: 'ready', idle: [], exitGasUsd: 0 });
      await node.impersonateAccount({ address });
      await node.setBalance({ address, value: parseEther('1') });
      const call = { account: address, address, abi: yieldVaultAccountAbi, gas: vaultGas } as const;
      const args = [executorType, executor, '0x'] as const;
      const hash = await node.writeContract({ ...call, functionName: 'uninstallModule', args } as never);
      expect((await node.waitForTransactionReceipt({ hash })).status).toBe('success');
      expect((await walletOf(address)).setup).toBe('modules-missing');
    });

    it.each([
      ['a new wallet', '0x'],
      ['a foreign delegation', delegationCode('0x1111111111111111111111111111111111111111')],
      ['a contract wallet', '0x6080604052'],
      ['a contract that burns all gas', '0xfe'],
    ] as const)('behavior: none for %s', async (name, bytecode) => {
      expect((await walletOf(await delegate(name, bytecode))).setup).toBe('none');
    });

    it('behavior: idle balances by asset, without those of hostile tokens and unlisted vaults', async () => {
      const tokens = ['0xa1', '0xa2', '0xa3'].map((end) => padHex(end as Hex, { dir: 'left', size: 20 }));
      // Burn all gas, return nothing, and claim a balance of an asset that only an unlisted vault has.
      for (const [index, bytecode] of (['0xfe', '0x00', '0x60015f5260205ff3'] as const).entries())
        await node.setCode({ address: tokens[index]!, bytecode });
      const hostile = tokens.map((address, index) =>
        buildRankedVault({ asset: { symbol: 'EVIL', address, decimals: 18 }, listed: index < 2 }),
      );
      const { address } = testAccount('idle');
      await send(localOperator, usdc, 'mint', address, 12_500_000n);
      const { idle } = await walletOf(address, [...hostile, ...listed]);
      expect(idle).toEqual([{ asset: 'USDC', amount: '12.5' }]);
    });
  });

  describe('beside hostile vaults', () => {
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
        const response = await (await positionsOn(proxy.url, vaults)).status(owner.address);
        return { response, requests: proxy.requests };
      } finally {
        await proxy.stop();
      }
    };

    it.each([
      // They burn the gas of the first call, so each balance is then read alone.
      ['that burn all gas', '0xfe', 4],
      ['that revert with 1 MB', '0x620fffe06000fd', 4],
      // It returns 100 000 000 for balanceOf, and burns all gas for everything else.
      ['that burn all gas for a value', '0x5f3560e01c6370a0823114600f57fe5b6305f5e1005f5260205ff3', 2],
    ] as const)('behavior: the others are read beside vaults %s', async (_, bytecode, requests) => {
      for (const address of burners) await node.setCode({ address, bytecode });
      const plain = await readThrough(listed);
      expect(plain.response.positionCount).toBe(3);
      expect(plain.requests).toBe(2);
      const beside = await readThrough(all);
      expect(beside.response).toEqual(plain.response);
      expect(beside.requests).toBe(requests);
    });
  });
});

describe('positions while a node misbehaves', () => {
  let database: DatabaseHandle;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.close());

  /** The node of Base fails, and Ethereum has no vaults. */
  async function expectOutage(node: FakeRpc) {
    const healthy = await startLogNode();
    const configs = { ethereum: buildChainConfig(healthy.rpcUrl, 1), base: buildChainConfig(node.rpcUrl) };
    const vaults = { list: (chain: string) => (chain === 'base' ? listed : []) };
    const positions = createPositions({
      chains: createActiveChains({ chains: configs }),
      vaults,
      database,
      follower: { reach: () => Promise.resolve(true) },
    });
    const reading = positions.status(owner.address);
    await expect(reading).rejects.toBeInstanceOf(UpstreamUnavailableError);
    await expect(reading).rejects.toMatchObject({ details: { dependency: 'rpc:base' } });
    await Promise.all([healthy.stop(), node.stop()]);
  }

  it.each(['cut', 'silent', 'garbage', 'http-500'] as const)(
    'error: UpstreamUnavailableError for %s',
    async (fault) => {
      const node = await startFakeRpc({});
      node.setFault(fault);
      await expectOutage(node);
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
        eth_blockNumber: () => '0x10',
        eth_call: () => {
          throw new RpcFailure(code, message);
        },
      });
      await expectOutage(node);
    },
  );
});
