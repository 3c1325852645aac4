import type { ActiveChain } from '@yield-vault/chains';
import {
  capabilityProbeAbi as abi,
  capabilityProbeDeployedBytecode as code,
  decodeRevertReason,
} from '@yield-vault/contracts';
import type { LoggerPort, Vault } from '@yield-vault/protocol';
import { apyOfGrowth, clamp, hourSeconds } from '@yield-vault/vault-metrics';
import { decodeFunctionResult, encodeFunctionData, erc4626Abi, type Hex, type StateOverride } from 'viem';
import { createSimulator, withBalance } from '../capability/create-simulator.js';
import { createSlotFinder } from '../capability/create-slot-finder.js';
import { toAmount } from '../chain/read-contracts.js';
import { extraProbeDecimals } from '../ports.js';

interface Shares {
  /** Base units. */
  readonly shares: bigint;
  /** The part of the assets that the shares are not worth by the share price, 0 to 1. */
  readonly lost: number;
}

/** What a deposit brings now. */
export type SimulatedDeposit =
  /** The APY is percent; undefined when the share price shows no rate. */
  | ({ readonly kind: 'simulated'; readonly apy: number | undefined } & Shares)
  | { readonly kind: 'reverted'; readonly reason: string }
  /** The node cannot simulate it. Shares are the vault's own preview; 0 when it reverts. */
  | ({ readonly kind: 'previewed' } & Shares);

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
// Together what a hostile vault can burn in a quote. A single read gets half of its limit.
const depositGas = 6_000_000n;
const readGasLimit = 3_000_000;

/** Create the simulator of a chain. */
export function createDepositSimulator(
  { key, rpc }: Pick<ActiveChain, 'key' | 'rpc'>,
  logger: LoggerPort,
): DepositSimulator {
  const simulatorAt = createSimulator({ chain: key, rpc, readGasLimit, logger });
  const findSlot = createSlotFinder();

  return async ({ vaultAddress, asset, shareDecimals }, assets, isHeld) => {
    const simulator = simulatorAt();
    const { holder } = simulator;
    const withCode: StateOverride = [{ address: holder, code }];
    const wholeShares = 10n ** BigInt(shareDecimals + extraProbeDecimals);
    // The holder asks, and about its own deposit in the same frame: a vault may lie to others.
    const ask = (question: Hex) => ({
      to: holder,
      data: encodeFunctionData({ abi, functionName: 'ask', args: [vaultAddress, question] }),
    });
    const priceQuestion = encodeFunctionData({
      abi: erc4626Abi,
      functionName: 'convertToAssets',
      args: [wholeShares],
    });
    const sharesAt = (shares: bigint, price: bigint) => ({
      shares,
      lost: isHeld ? 0 : clamp(1 - Number((shares * price) / wholeShares) / Number(assets), 0, 1),
    });

    const simulate = async (): Promise<SimulatedDeposit | undefined> => {
      const slot = isHeld ? undefined : await findSlot(asset.address, simulator);
      if (!isHeld && !slot) return undefined;
      const args = [vaultAddress, asset.address, assets, priceQuestion] as const;
      const deposit = { abi, functionName: 'deposit' } as const;
      const price = ask(priceQuestion);
      const results = await simulator.runBlocks([
        {
          after: 1n,
          stateOverrides: slot ? [...withCode, withBalance(slot, assets)] : withCode,
          calls: [
            slot ? { to: holder, gas: depositGas, data: encodeFunctionData({ ...deposit, args }) } : price,
          ],
        },
        { after: 1n + BigInt(spanSeconds), calls: [price] },
      ]);
      const [first, later] = results ?? [];
      // This asset keeps balances elsewhere than where the holder got one.
      if (first?.status !== 'success') return undefined;
      const [answer, shares, before] = slot
        ? decodeFunctionResult({ ...deposit, data: first.data })
        : [undefined, undefined, toAmount(first.data) ?? 0n];
      if (answer?.success === false) return { kind: 'reverted', reason: decodeRevertReason(answer.returned) };
      const after = toAmount(later?.data);
      return {
        kind: 'simulated',
        ...sharesAt(shares ?? (before && (assets * wholeShares) / before), before),
        apy: before && after ? apyOfGrowth(before, after, spanSeconds) : undefined,
      };
    };

    // A node can be too slow for the simulation alone. When it is down, the preview fails, too.
    const simulated = await simulate().catch(() => undefined);
    if (simulated) return simulated;
    const preview = encodeFunctionData({ abi: erc4626Abi, functionName: 'previewDeposit', args: [assets] });
    const [shares = 0n, price = 0n] = await Promise.all(
      [preview, priceQuestion].map(async (question) =>
        toAmount(await simulator.run({ ...ask(question), stateOverride: withCode })),
      ),
    );
    return { kind: 'previewed', ...sharesAt(shares, price) };
  };
}
