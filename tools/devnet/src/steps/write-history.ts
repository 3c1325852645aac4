import { canonical } from '@yield-vault/contracts';
import {
  localGapVaultAbi,
  localGasBombVaultAbi,
  localMulticall3Abi,
  localVaultAbi,
  localVaults,
  ratePerSecond,
  type LocalChainId,
  type LocalVaultDefinition,
} from '@yield-vault/testing/local';
import { encodeFunctionData, type Hex } from 'viem';
import { type ChainClient, sendAsOperator } from './chain-client.js';

const hourSeconds = 3_600;
const hoursPerDay = 24;

/** How much the yield of a vault moves around its nominal APY, as a fraction. */
const swing = { steady: 0.06, faster: 0.18 } as const;

/** A vault of this kind hands out this fraction of its assets every week, on top of its rate. */
const weeklyHarvest = { kind: 'faster', wadOfAssets: 200_000_000_000_000n } as const; // 0.02 %

/** The mild loss of the lossy vaults. */
const loss = { kind: 'lossy', daysAgo: 12, wadOfAssets: 6_000_000_000_000_000n } as const; // 0.6 %

/** Vaults of this kind do not respond for this many hours, beginning an hour into a day. */
const gap = { kind: 'gap', daysAgo: 5, hours: 30 } as const;

/** Views of vaults of this kind burn gas from this many hours before the present on. */
const bomb = { kind: 'gas-bomb', hoursAgo: 5 } as const;

/**
 * The hour at which the history of a chain begins, a whole number of days before the current hour.
 *
 * @param now Unix time in seconds.
 */
export function historyStart(now: number, days: number): number {
  return now - (now % hourSeconds) - days * hoursPerDay * hourSeconds;
}

/**
 * Mine the past of a chain: a block at every full hour from `start` to now. Once a day the yield of every vault
 * moves a little; some vaults harvest every week, the lossy ones lose something, those with a gap fall silent, and
 * gas bombs go off.
 *
 * @param start Unix time of the first hour, as `historyStart` gives it.
 */
export async function writeHistory(
  client: ChainClient,
  chainId: LocalChainId,
  start: number,
  days: number,
): Promise<void> {
  await client.setNextBlockTimestamp({ timestamp: BigInt(start) });
  for (let day = 0; day < days; day++) {
    await sendKeeperTransaction(client, await keeperCalls(client, chainId, day, { start, days }));
    // Counted from the block before. The interval of anvil_mine is counted from the wall clock, which moves on
    // while blocks are mined: hours would be missed by a second.
    await client.setBlockTimestampInterval({ interval: hourSeconds });
    await client.mine({ blocks: hoursPerDay - 1 });
  }
  await sendKeeperTransaction(
    client,
    localVaults[chainId].map((vault) => setRate(vault, vault.apyPercent)),
  );
  await client.removeBlockTimestampInterval();
}

interface KeeperCall {
  readonly target: Hex;
  readonly allowFailure: false;
  readonly callData: Hex;
}

async function keeperCalls(
  client: ChainClient,
  chainId: LocalChainId,
  day: number,
  { start, days }: { readonly start: number; readonly days: number },
): Promise<KeeperCall[]> {
  const calls = localVaults[chainId].flatMap((vault, index) =>
    isSilent(vault, day, days) ? [] : [setRate(vault, apyOn(vault, index, day))],
  );
  const harvesting = day % 7 === 6 ? vaultsOf(chainId, weeklyHarvest.kind) : [];
  const losing = day === days - loss.daysAgo ? vaultsOf(chainId, loss.kind) : [];
  if (day === days - gap.daysAgo) {
    const from = start + day * hoursPerDay * hourSeconds + hourSeconds;
    for (const vault of vaultsOf(chainId, gap.kind)) calls.push(fallSilent(vault, from));
  }
  if (day === days - 1) {
    const from = start + (days * hoursPerDay - bomb.hoursAgo) * hourSeconds;
    for (const vault of vaultsOf(chainId, bomb.kind)) calls.push(arm(vault, from));
  }
  for (const vault of harvesting) {
    calls.push(move(vault, 'harvest', await fractionOfAssets(client, vault, weeklyHarvest.wadOfAssets)));
  }
  for (const vault of losing) {
    calls.push(move(vault, 'realiseLoss', await fractionOfAssets(client, vault, loss.wadOfAssets)));
  }
  return calls;
}

/** A slow wave with a faster one on top, different for every vault, the same in every run. */
function apyOn(vault: LocalVaultDefinition, index: number, day: number): number {
  const range = vault.kind === 'faster' || vault.kind === 'lossy' ? swing.faster : swing.steady;
  const wave = 0.7 * Math.sin(day / 5 + index) + 0.3 * Math.sin(day * 2.3 + index * 1.7);
  return vault.apyPercent * (1 + range * wave);
}

/** Whether a vault does not respond at the beginning of a day. */
function isSilent({ kind }: LocalVaultDefinition, day: number, days: number): boolean {
  const hours = (day - (days - gap.daysAgo)) * hoursPerDay;
  return kind === gap.kind && hours > 0 && hours <= gap.hours;
}

function vaultsOf(
  chainId: LocalChainId,
  kind: LocalVaultDefinition['kind'],
): readonly LocalVaultDefinition[] {
  return localVaults[chainId].filter((vault) => vault.kind === kind);
}

async function fractionOfAssets(
  client: ChainClient,
  vault: LocalVaultDefinition,
  wad: bigint,
): Promise<bigint> {
  const assets = await client.readContract({
    address: vault.address,
    abi: localVaultAbi,
    functionName: 'totalAssets',
  });
  return (assets * wad) / 10n ** 18n;
}

function setRate(vault: LocalVaultDefinition, apyPercent: number): KeeperCall {
  const callData = encodeFunctionData({
    abi: localVaultAbi,
    functionName: 'setRate',
    args: [ratePerSecond(apyPercent)],
  });
  return { target: vault.address, allowFailure: false, callData };
}

function move(
  vault: LocalVaultDefinition,
  functionName: 'harvest' | 'realiseLoss',
  assets: bigint,
): KeeperCall {
  const callData = encodeFunctionData({ abi: localVaultAbi, functionName, args: [assets] });
  return { target: vault.address, allowFailure: false, callData };
}

function fallSilent(vault: LocalVaultDefinition, from: number): KeeperCall {
  const until = from + gap.hours * hourSeconds;
  const callData = encodeFunctionData({
    abi: localGapVaultAbi,
    functionName: 'setSilence',
    args: [BigInt(from), BigInt(until)],
  });
  return { target: vault.address, allowFailure: false, callData };
}

function arm(vault: LocalVaultDefinition, from: number): KeeperCall {
  const callData = encodeFunctionData({
    ...{ abi: localGasBombVaultAbi, functionName: 'arm', args: [BigInt(from)] },
  });
  return { target: vault.address, allowFailure: false, callData };
}

async function sendKeeperTransaction(client: ChainClient, calls: readonly KeeperCall[]): Promise<void> {
  const data = encodeFunctionData({ abi: localMulticall3Abi, functionName: 'aggregate3', args: [calls] });
  await sendAsOperator(
    client,
    { to: canonical.multicall3, data },
    'A keeper transaction of the chain history',
  );
}
