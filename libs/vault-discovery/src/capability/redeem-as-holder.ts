import { maxBigInt, minBigInt } from '@yield-vault/protocol';
import type { Address } from 'viem';
import type { TrackedVault } from '../catalogue/check-vaults.js';
import { type Read, readGasLimit, toAmount } from '../chain/read-contracts.js';
import { type GroupReader, toRead } from '../governance/group-reader.js';
import type { ExitSample, HoldersOf } from '../ports.js';
import { type BlockSimulator, secondsPerBlock } from './create-simulator.js';
import type { VaultTotals } from './read-vault-assets.js';
import { exitBpsOf, highest, pays } from './simulate-exit.js';

/** A wallet and its shares at a block. */
interface Holder {
  readonly address: Address;
  readonly shares: bigint;
}

type Limited = Pick<ExitSample, 'method' | 'instant' | 'exitBps' | 'curve'>;

const mostHolders = 3;
const balanceOf = 'balanceOf(address)';
const redeem = 'redeem(uint256,address,address)';
/** Base units of the asset. Of less than these rounding takes more than 1 %, and some vaults pay nothing. */
const leastAssets = 1_000n;
/** A holder whose first redeem reverts still shows three quarters of it. */
const partsOfRedeems = [1n, 2n, 4n] as const;
/** All redeems together fit into the 50 million gas of a request, so that a vault that burns gas stays visible. */
const redeemsPerReadGas = 2n;

/** Read the shares that known holders of vaults have; those without shares are left out. */
export async function readShares(
  read: GroupReader,
  vaults: readonly TrackedVault[],
  holdersOf: HoldersOf,
): Promise<readonly (readonly Holder[])[]> {
  const [first] = vaults;
  if (!first) return [];
  const addresses = vaults.map(({ entry }) => entry.address);
  const known = await holdersOf(first.entry.chainId, addresses);
  const groups = vaults.map(({ entry }) =>
    isCollateral(entry) ? [] : (known.get(entry.address.toLowerCase()) ?? []),
  );
  const words = await read(
    vaults.map(({ entry }, at) => groups[at]!.map((holder) => toRead(entry.address, balanceOf, holder))),
  );
  return groups.map((group, at) =>
    group
      .map((address, index) => ({ address, shares: toAmount(words[at]![index]) ?? 0n }))
      .filter(({ shares }) => shares > 0n)
      .slice(0, mostHolders),
  );
}

/**
 * Redeem as real holders, in one block and in turn, their shares or their part of a measured exit.
 *
 * @returns the exit as it was, unless more than half of the holders get less than 99 % of the share price: then what one
 * of them gets at most. A single holder may have a reason of its own, so with it alone the exit is unknown.
 */
export async function limitByHolders<Exit extends Limited>(
  { runBlocks }: BlockSimulator,
  { entry }: TrackedVault,
  holders: readonly Holder[] = [],
  { totalAssets, totalSupply }: VaultTotals,
  exit: Exit,
): Promise<Exit> {
  if (!exit.instant || holders.length === 0) return exit;
  const part = (exit.instant * totalSupply) / totalAssets / BigInt(holders.length);
  const asked = holders
    .map(({ address, shares }) => ({ address, shares: minBigInt(shares, part) }))
    .filter(({ shares }) => shares * totalAssets >= leastAssets * totalSupply);
  if (asked.length === 0) return exit;
  const results = await runBlocks([
    {
      after: secondsPerBlock,
      calls: asked.flatMap(({ address: account, shares }) => {
        const balance = toCall(toRead(entry.asset.address, balanceOf, account));
        return [
          toCall(toRead(entry.address, 'convertToAssets(uint256)', shares)),
          balance,
          ...partsOfRedeems.map((parts) => ({
            ...toCall(toRead(entry.address, redeem, shares / parts, account, account)),
            account,
            gas: BigInt(readGasLimit) / redeemsPerReadGas,
          })),
          balance,
        ];
      }),
    },
  ]);
  if (!results) return exit;
  const callsPerHolder = partsOfRedeems.length + 3;
  const outcomes = asked.map(({ shares }, index) => {
    const [price, before, ...rest] = results.slice(index * callsPerHolder, (index + 1) * callsPerHolder);
    const redeemed = partsOfRedeems.reduce(
      (sum, parts, at) => (rest[at]?.status === 'success' ? sum + shares / parts : sum),
      0n,
    );
    const expected = ((toAmount(price?.data) ?? 0n) * redeemed) / shares;
    const received = maxBigInt((toAmount(rest.at(-1)?.data) ?? 0n) - (toAmount(before?.data) ?? 0n), 0n);
    const outcome = { shares: redeemed, expected, received };
    const isPaid = pays(outcome);
    return {
      taken: isPaid ? received : 0n,
      exitBps: redeemed > 0n ? exitBpsOf(outcome) : null,
      isStuck: redeemed < shares || !isPaid,
    };
  });
  const stuck = outcomes.filter(({ isStuck }) => isStuck);
  if (stuck.length * 2 <= outcomes.length) return exit;
  if (stuck.length === 1) return { ...exit, method: 'unknown', instant: null, exitBps: null, curve: [] };
  const instant = stuck.reduce((most, { taken }) => maxBigInt(most, taken), 0n);
  const cost = highest(stuck.map(({ exitBps }) => exitBps));
  const most = instant > 0n || cost === null ? 0 : 10_000 - cost;
  return {
    ...exit,
    // Redeems show that nothing leaves, also where only the protocol's numbers were known.
    method: instant > 0n ? exit.method : 'simulated',
    instant: minBigInt(instant, exit.instant),
    exitBps: highest([exit.exitBps, cost]),
    curve: exit.curve.map(({ assets, receivedBps }) => ({
      assets,
      receivedBps: assets > instant ? Math.min(receivedBps, most) : receivedBps,
    })),
  };
}

/** Its holders may have debts, for which they cannot redeem. */
const isCollateral = ({ protocol }: Pick<TrackedVault['entry'], 'protocol'>) => protocol === 'euler-v2';

const toCall = ({ target, callData }: Read) => ({ to: target, data: callData });
