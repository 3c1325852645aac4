import type { ActiveChains } from '@yield-vault/chains';
import {
  type AlternativesRequest,
  type AlternativesResponse,
  DataStaleError,
  type LoggerPort,
  parseAmount,
  type QuoteRequest,
  type RankedVault,
  riskLevels,
  silentLogger,
  UnknownVaultError,
  type VaultQuote,
  vaultWarnings,
  type Warning,
} from '@yield-vault/protocol';
import { breakEvenDays, clamp, dilutedApy, netApy, round } from '@yield-vault/vault-metrics';
import { inParallel } from '../batching.js';
import type { VaultDiscovery } from '../types.js';
import { createDepositSimulator, type SimulatedDeposit } from './create-deposit-simulator.js';
import { decide } from './decide.js';

/** Expected gas of a wallet that is set up, in USD. */
export interface VaultCosts {
  readonly depositGasUsd: number;
  readonly redeemGasUsd: number;
}

export interface QuotesDeps {
  readonly discovery: Pick<VaultDiscovery, 'find' | 'best' | 'isStale'>;
  /** The chains that deposits act on. */
  readonly chains: ActiveChains;
  readonly costs: (vault: RankedVault) => Promise<VaultCosts>;
  readonly logger?: LoggerPort;
}

/**
 * Quotes of deposits. Both methods simulate on the newest block.
 *
 * @throws {UnknownVaultError}
 * @throws {InvalidParametersError} for an amount with more decimals than the asset has, or zero
 * @throws {DataStaleError}
 * @throws {UpstreamUnavailableError} when the node of the chain does not respond
 */
export interface Quotes {
  /** Quote an amount in a vault, listed or not. */
  quote(request: QuoteRequest): Promise<VaultQuote>;
  /** Compare an amount that is in a vault with the best others of its asset and chain. */
  alternatives(request: AlternativesRequest): Promise<AlternativesResponse>;
}

/** The amount is new money, is in the vault already, or moves from another vault at these costs. */
type Entry =
  | { readonly kind: 'new' | 'held' }
  | { readonly kind: 'moved'; readonly redeemGasUsd: number; readonly exitBps: number };

const allBps = 10_000;
const percentDecimals = 4;
const usdDecimals = 6;
const maxCandidates = 5;
const concurrentQuotes = 3;
const retryAfterSeconds = 60;

/**
 * Create the quotes of a deployment.
 *
 * @example
 * const quotes = createQuotes({ discovery, chains, costs });
 * const { apyAfter, netApy } = await quotes.quote({ vaultId, amount: '25000', days: 30 });
 */
export function createQuotes({ discovery, chains, costs, logger = silentLogger }: QuotesDeps): Quotes {
  const simulators = new Map(chains.all.map((chain) => [chain.key, createDepositSimulator(chain, logger)]));

  const requireVault = (vaultId: string): RankedVault => {
    const vault = discovery.find(vaultId);
    if (!vault)
      throw new UnknownVaultError({
        detail: `No vault of this deployment has the id ${vaultId}.`,
        details: { vaultId },
      });
    if (!discovery.isStale(vault.chain)) return vault;
    throw new DataStaleError({
      detail: `The market data of ${vault.chain} is too old for a quote.`,
      details: { chain: vault.chain },
      retryAfterSeconds,
    });
  };

  const quoteOf = async (
    vault: RankedVault,
    { amount, days }: Pick<QuoteRequest, 'amount' | 'days'>,
    entry: Entry,
  ): Promise<VaultQuote> => {
    const { vaultId, asset, shareDecimals, apy, tvlUsd, fees, rewards } = vault;
    const { checkedAt: _, ...exit } = vault.exit;
    const assets = parseAmount(amount, asset.decimals);
    const { key } = chains.require(vault.chain);
    const isHeld = entry.kind === 'held';
    const source = entry.kind === 'moved' ? entry : { redeemGasUsd: 0, exitBps: 0 };
    const [deposit, expected] = await Promise.all([
      simulators.get(key)!(vault, assets, isHeld),
      costs(vault),
    ]);
    const amountUsd = Number(amount) * vault.assetPriceUsd;
    const simulatedApy = deposit.kind === 'simulated' ? deposit.apy : undefined;
    const apyAfter = simulatedApy ?? dilutedApy(apy.month, tvlUsd, isHeld ? 0 : amountUsd);
    const inUsd = isHeld ? 0 : expected.depositGasUsd + source.redeemGasUsd;
    const outUsd = expected.redeemGasUsd;
    const gasUsd = inUsd + outUsd;
    const exitBps = fees.exitBps ?? 0;
    const kept = (1 - exitBps / allBps) * (1 - source.exitBps / allBps);
    const costUsd = (amountUsd + gasUsd) / kept - amountUsd;
    const isPriced = amountUsd > 0;
    const stay = { amountUsd, apy: apyAfter, days, gasUsd, exitBps: allBps * (1 - kept) };
    return {
      vaultId,
      asset: asset.symbol,
      amount,
      days,
      sharesOut: String(deposit.kind === 'reverted' ? 0 : deposit.shares),
      shareDecimals,
      apyNow: apy.now,
      apyAfter: round(apyAfter, percentDecimals),
      exit: {
        ...exit,
        receivedBps:
          exit.instantUsd === null || !isPriced
            ? null
            : Math.floor(clamp((exit.instantUsd / amountUsd) * allBps, 0, allBps - exitBps)),
      },
      gas: { inUsd: round(inUsd, usdDecimals), outUsd: round(outUsd, usdDecimals) },
      netApy: isPriced ? round(netApy(stay), percentDecimals) : null,
      breakEvenDays: isPriced
        ? breakEvenDays(costUsd, { assetsUsd: amountUsd, apy: apyAfter, apyBefore: 0 })
        : null,
      fees,
      rewards,
      warnings: [
        ...vaultWarnings(vault, amountUsd),
        ...quoteWarnings(vault, deposit),
        ...(simulatedApy === undefined ? [apyEstimated(vault, isHeld)] : []),
      ],
    };
  };

  return {
    quote: async ({ vaultId, ...terms }) => quoteOf(requireVault(vaultId), terms, { kind: 'new' }),
    alternatives: async ({ vaultId, strategy, riskTolerance = 'high', ...terms }) => {
      const source = requireVault(vaultId);
      const ceiling = riskLevels.indexOf(riskTolerance);
      const others = discovery
        .best(source.chain, source.asset.symbol, strategy)
        .filter(
          (vault) =>
            vault.vaultId !== vaultId &&
            vault.asset.address === source.asset.address &&
            riskLevels.indexOf(vault.risk.level) <= ceiling,
        )
        .slice(0, maxCandidates);
      const from = await quoteOf(source, terms, { kind: 'held' });
      const redeemGasUsd = from.gas.outUsd;
      const entry = { kind: 'moved', redeemGasUsd, exitBps: source.fees.exitBps ?? 0 } as const;
      const candidates = await inParallel(others, concurrentQuotes, (vault) => quoteOf(vault, terms, entry));
      return decide(from, candidates);
    },
  };
}

function quoteWarnings({ name, listed, exclusions }: RankedVault, deposit: SimulatedDeposit): Warning[] {
  const warnings: Warning[] = [];
  if (deposit.kind === 'reverted')
    warnings.push({
      code: 'DEPOSIT_FAILS',
      message: `${name} refuses a deposit of this amount now: ${deposit.reason}.`,
    });
  if (!listed)
    warnings.push({
      code: 'VAULT_NOT_LISTED',
      message: `This service takes no deposits into ${name}: ${exclusions.join(', ')}.`,
    });
  return warnings;
}

function apyEstimated({ name }: RankedVault, isHeld: boolean): Warning {
  const estimate = `apyAfter is no simulation: it is the 30-day APY of ${name}`;
  return { code: 'APY_ESTIMATED', message: isHeld ? `${estimate}.` : `${estimate}, diluted by the amount.` };
}
