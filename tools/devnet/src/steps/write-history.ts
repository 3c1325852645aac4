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
  callAsOperator,
  fractionOfAssets,
  type ChainClient,
} from '@yield-vault/testing/local';
import { encodeFunctionData, type EncodeFunctionDataParameters, type Hex } from 'viem';

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

type AssetMove = typeof weeklyHarvest | typeof loss;

async function keeperCalls(
  client: ChainClient,
  chainId: LocalChainId,
  day: number,
  { start, days }: { readonly start: number; readonly days: number },
): Promise<KeeperCall[]> {
  const calls = localVaults[chainId].flatMap((vault, index) =>
    isSilent(vault, day, days) ? [] : [setRate(vault, apyOn(vault, index, day))],
  );
  if (day === days - gap.daysAgo) {
    const from = start + day * hoursPerDay * hourSeconds + hourSeconds;
    const args = [BigInt(from), BigInt(from + gap.hours * hourSeconds)];
    for (const vault of vaultsOf(chainId, gap.kind))
      calls.push(keeperCall(vault, { abi: localGapVaultAbi, functionName: 'setSilence', args }));
  }
  if (day === days - 1) {
    const args = [BigInt(start + (days * hoursPerDay - bomb.hoursAgo) * hourSeconds)];
    for (const vault of vaultsOf(chainId, bomb.kind))
      calls.push(keeperCall(vault, { abi: localGasBombVaultAbi, functionName: 'arm', args }));
  }
  const move = async (functionName: 'harvest' | 'realiseLoss', { kind, wadOfAssets }: AssetMove) => {
    for (const vault of vaultsOf(chainId, kind)) {
      const args = [await fractionOfAssets(client, vault.address, wadOfAssets)];
      calls.push(keeperCall(vault, { abi: localVaultAbi, functionName, args }));
    }
  };
  if (day % 7 === 6) await move('harvest', weeklyHarvest);
  if (day === days - loss.daysAgo) await move('realiseLoss', loss);
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

function setRate(vault: LocalVaultDefinition, apyPercent: number): KeeperCall {
  return keeperCall(vault, {
    abi: localVaultAbi,
    functionName: 'setRate',
    args: [ratePerSecond(apyPercent)],
  });
}

function keeperCall({ address }: LocalVaultDefinition, call: EncodeFunctionDataParameters): KeeperCall {
  return { target: address, allowFailure: false, callData: encodeFunctionData(call) };
}

async function sendKeeperTransaction(client: ChainClient, calls: readonly KeeperCall[]): Promise<void> {
  const address = canonical.multicall3;
  await callAsOperator(client, {
    address,
    abi: localMulticall3Abi,
    functionName: 'aggregate3',
    args: [calls],
  });
}
