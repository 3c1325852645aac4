import type { ActiveChain } from '@yield-vault/chains';
import { decodeRevertReason } from '@yield-vault/contracts';
import type { LoggerPort, Vault } from '@yield-vault/protocol';
import { apyOfGrowth, hourSeconds } from '@yield-vault/vault-metrics';
import { encodeFunctionData, erc20Abi, erc4626Abi, type Hex } from 'viem';
import { type BlockSimulator, createSimulator, withBalance } from '../capability/create-simulator.js';
import { createSlotFinder } from '../capability/create-slot-finder.js';
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
const readGasLimit = 4_000_000;
const depositGas = 10_000_000n;

/** Create the simulator of a chain. */
export function createDepositSimulator(
  { key, rpc }: Pick<ActiveChain, 'key' | 'rpc'>,
  logger: LoggerPort,
): DepositSimulator {
  const simulatorAt = createSimulator({ chain: key, rpc, readGasLimit, logger });
  const findSlot = createSlotFinder();

  const simulate = async (
    simulator: BlockSimulator,
    ...[{ vaultAddress: to, asset, shareDecimals }, assets, isHeld]: Parameters<DepositSimulator>
  ): Promise<SimulatedDeposit | undefined> => {
    const { holder, runBlocks } = simulator;
    const slot = isHeld ? undefined : await findSlot(asset.address, simulator);
    if (!isHeld && !slot) return undefined;
    const call = (data: Hex) => ({ to, data });
    const wholeShares = 10n ** BigInt(shareDecimals + extraProbeDecimals);
    const price = call(
      encodeFunctionData({ abi: erc4626Abi, functionName: 'convertToAssets', args: [wholeShares] }),
    );
    const deposit = slot
      ? [
          {
            to: asset.address,
            account: holder,
            data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [to, assets] }),
          },
          {
            to,
            account: holder,
            gas: depositGas,
            data: encodeFunctionData({ abi: erc4626Abi, functionName: 'deposit', args: [assets, holder] }),
          },
          call(encodeFunctionData({ abi: erc4626Abi, functionName: 'balanceOf', args: [holder] })),
        ]
      : [call(encodeFunctionData({ abi: erc4626Abi, functionName: 'convertToShares', args: [assets] }))];
    const results = await runBlocks([
      {
        after: 1n,
        stateOverrides: slot && [withBalance(slot, assets)],
        calls: [...deposit, price],
      },
      { after: 1n + BigInt(spanSeconds), calls: [price] },
    ]);
    if (!results) return undefined;
    const failed = results.slice(0, deposit.length).find(({ status }) => status === 'failure');
    if (failed) {
      const reason = readable(decodeRevertReason(failed.data));
      // The overridden balance only shows in `balanceOf`: this asset keeps balances elsewhere.
      return reason === 'INSUFFICIENT_BALANCE' ? undefined : { kind: 'reverted', reason };
    }
    const [shares, before, after] = results.slice(-3).map(({ data }) => toAmount(data));
    return {
      kind: 'simulated',
      shares: shares ?? 0n,
      apy: before && after ? apyOfGrowth(before, after, spanSeconds) : undefined,
    };
  };

  return async (vault, assets, isHeld) => {
    const simulator = simulatorAt();
    // A node can be too slow for the simulation alone. When it is down, the preview fails, too.
    const simulated = await simulate(simulator, vault, assets, isHeld).catch(() => undefined);
    if (simulated) return simulated;
    const data = encodeFunctionData({ abi: erc4626Abi, functionName: 'previewDeposit', args: [assets] });
    const preview = await simulator.run({ to: vault.vaultAddress, data });
    return { kind: 'previewed', shares: toAmount(preview) ?? 0n };
  };
}
