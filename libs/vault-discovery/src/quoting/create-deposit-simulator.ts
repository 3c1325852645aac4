import { type ActiveChain, asUpstreamError } from '@yield-vault/chains';
import { decodeRevertReason } from '@yield-vault/contracts';
import { isViemError, type LoggerPort, type Vault } from '@yield-vault/protocol';
import { apyOfGrowth, hourSeconds } from '@yield-vault/vault-metrics';
import { encodeFunctionData, erc20Abi, erc4626Abi, type Hex, numberToHex } from 'viem';
import { randomAddress } from '../capability/create-prober.js';
import { createSlotFinder } from '../capability/create-slot-finder.js';
import type { Simulator } from '../capability/simulate-deposit.js';
import { readable, toAmount } from '../chain/read-contracts.js';
import { extraProbeDecimals } from '../ports.js';

/** What a deposit brings now. */
export type SimulatedDeposit =
  | {
      readonly kind: 'simulated';
      /** Base units. */
      readonly shares: bigint;
      /** Percent; undefined when the share price shows no rate. */
      readonly apy: number | undefined;
    }
  | { readonly kind: 'reverted'; readonly reason: string }
  /** The node cannot simulate it. Shares are the vault's own preview; 0 when it reverts. */
  | { readonly kind: 'previewed'; readonly shares: bigint };

/**
 * Deposit into a vault on top of the newest block, and watch the share price for an hour. Nothing is sent to the chain.
 *
 * @param assets - base units
 * @param isHeld - the vault holds them already: no deposit, and the present rate
 * @throws {UpstreamUnavailableError} when the node does not respond
 */
export type DepositSimulator = (
  vault: Pick<Vault, 'vaultAddress' | 'asset' | 'shareDecimals'>,
  assets: bigint,
  isHeld: boolean,
) => Promise<SimulatedDeposit>;

// In an hour, a rate that adapts to utilisation moves by less than 1 % of itself; in a day by up to 15 %.
const spanSeconds = hourSeconds;
// Together below the gas limit of a block. A hostile vault cannot burn more.
const gas = { approve: 500_000n, deposit: 10_000_000n, read: 4_000_000n } as const;

/** Create the simulator of a chain. */
export function createDepositSimulator(
  chain: Pick<ActiveChain, 'key' | 'rpc'>,
  logger: LoggerPort,
): DepositSimulator {
  // Random, because a vault could treat a known address better.
  const holder = randomAddress();
  const findSlot = createSlotFinder();
  let isLogged = false;

  const run: Simulator['run'] = async (call) => {
    try {
      return (await chain.rpc.call({ ...call, gas: gas.read })).data;
    } catch (error) {
      const outage = asUpstreamError(error, `rpc:${chain.key}`);
      if (outage) throw outage;
      return undefined;
    }
  };

  const simulate = async (
    ...[{ vaultAddress: to, asset, shareDecimals }, assets, isHeld]: Parameters<DepositSimulator>
  ): Promise<SimulatedDeposit | undefined> => {
    const slot = isHeld ? undefined : await findSlot(asset.address, { holder, run });
    if (!isHeld && !slot) return undefined;
    const read = (data: Hex) => ({ to, gas: gas.read, data });
    const wholeShares = 10n ** BigInt(shareDecimals + extraProbeDecimals);
    const price = read(
      encodeFunctionData({ abi: erc4626Abi, functionName: 'convertToAssets', args: [wholeShares] }),
    );
    const deposit = slot
      ? [
          {
            from: holder,
            to: asset.address,
            gas: gas.approve,
            data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [to, assets] }),
          },
          {
            from: holder,
            to,
            gas: gas.deposit,
            data: encodeFunctionData({ abi: erc4626Abi, functionName: 'deposit', args: [assets, holder] }),
          },
          read(encodeFunctionData({ abi: erc4626Abi, functionName: 'balanceOf', args: [holder] })),
        ]
      : [read(encodeFunctionData({ abi: erc4626Abi, functionName: 'convertToShares', args: [assets] }))];
    const { number, timestamp } = await chain.rpc.getBlock();
    const blocks = await chain.rpc.simulateBlocks({
      blockNumber: number,
      blocks: [
        {
          blockOverrides: { time: timestamp + 1n },
          stateOverrides: slot
            ? [{ address: asset.address, stateDiff: [{ slot, value: numberToHex(assets, { size: 32 }) }] }]
            : [],
          calls: [...deposit, price],
        },
        { blockOverrides: { time: timestamp + 1n + BigInt(spanSeconds) }, calls: [price] },
      ],
    });
    const [now, later] = blocks.map(({ calls }) => calls);
    const failed = now!.slice(0, -2).find(({ status }) => status === 'failure');
    if (failed) {
      const reason = readable(decodeRevertReason(failed.data));
      // The overridden balance only shows in `balanceOf`: this asset keeps balances elsewhere.
      return reason === 'INSUFFICIENT_BALANCE' ? undefined : { kind: 'reverted', reason };
    }
    const [shares, before, after] = [now!.at(-2), now!.at(-1), later![0]].map((call) => toAmount(call?.data));
    return {
      kind: 'simulated',
      shares: shares ?? 0n,
      apy: before && after ? apyOfGrowth(before, after, spanSeconds) : undefined,
    };
  };

  return async (vault, assets, isHeld) => {
    try {
      const simulated = await simulate(vault, assets, isHeld);
      if (simulated) return simulated;
    } catch (error) {
      // The full message contains the whole request.
      const reason = isViemError(error) ? error.shortMessage : String(error);
      if (!isLogged) logger.warn({ chain: chain.key, reason }, 'the node did not simulate a quote');
      isLogged = true;
    }
    const data = encodeFunctionData({ abi: erc4626Abi, functionName: 'previewDeposit', args: [assets] });
    const preview = await run({ to: vault.vaultAddress, data, stateOverride: [] });
    return { kind: 'previewed', shares: toAmount(preview) ?? 0n };
  };
}
