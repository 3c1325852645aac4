import type { ActiveChains } from '@yield-vault/chains';
import { quoteReason } from '@yield-vault/contracts';
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
  type VaultReport,
  vaultWarnings,
  type Warning,
} from '@yield-vault/protocol';
import { breakEvenDays, clamp, dilutedApy, netApy, round } from '@yield-vault/vault-metrics';
import { inParallel } from '../batching.js';
import type { VaultDiscovery } from '../types.js';
import {
  createDepositSimulator,
  type DepositSimulator,
  type SimulatedDeposit,
} from './create-deposit-simulator.js';
import { decide } from './decide.js';

/** Expected gas of a wallet that is set up, in USD. */
export interface VaultCosts {
  readonly depositGasUsd: number;
  readonly redeemGasUsd: number;
}

export interface QuotesDeps {
  readonly discovery: Pick<VaultDiscovery, 'find' | 'best' | 'isStale' | 'explain'>;
  /** The chains that deposits act on. */
  readonly chains: ActiveChains;
  /** Reads the fees of a chain once; its vaults are then priced without the node. */
  readonly costs: (chain: string) => Promise<(vault: RankedVault) => VaultCosts>;
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
  /**
   * Compare an amount that is in a vault with the best others of its asset and chain, by default no riskier ones.
   *
   * @param signal - quotes no further candidate once it is aborted
   */
  alternatives(request: AlternativesRequest, signal?: AbortSignal): Promise<AlternativesResponse>;
}

/** The amount is new money, is in the vault already, or moves from another vault at these costs and this APY, in percent. */
type Entry =
  | { readonly kind: 'new' | 'held' }
  | {
      readonly kind: 'moved';
      readonly redeemGasUsd: number;
      readonly exitBps: number;
      readonly apy: number;
    };

const allBps = 10_000;
const mostLost = 0.01;
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
  const simulators = new Map<string, DepositSimulator>();
  /** Created on first use: reading the node of a fork throws where no forks are configured. */
  const simulatorOf = (key: string): DepositSimulator => {
    const simulator = simulators.get(key) ?? createDepositSimulator(chains.require(key), logger);
    simulators.set(key, simulator);
    return simulator;
  };

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
    readCosts: () => ReturnType<QuotesDeps['costs']>,
  ): Promise<VaultQuote> => {
    const { vaultId, asset, shareDecimals, apy, tvlUsd, fees, rewards } = vault;
    const { checkedAt: _, ...exit } = vault.exit;
    const assets = parseAmount(amount, asset.decimals);
    const isHeld = entry.kind === 'held';
    const source = entry.kind === 'moved' ? entry : { redeemGasUsd: 0, exitBps: 0, apy: 0 };
    const [deposit, costsOf, report] = await Promise.all([
      simulatorOf(vault.chain)(vault, assets, isHeld),
      readCosts(),
      discovery.explain(vaultId),
    ]);
    const expected = costsOf(vault);
    const amountUsd = Number(amount) * vault.assetPriceUsd;
    const simulatedApy = deposit.kind === 'simulated' ? deposit.apy : undefined;
    // A deposit does not raise a rate, and a vault may show one that it never paid.
    const apyAfter = Math.min(
      simulatedApy ?? dilutedApy(apy.month, tvlUsd, isHeld ? 0 : amountUsd),
      Math.max(apy.now, apy.week, apy.month),
    );
    const inUsd = isHeld ? 0 : expected.depositGasUsd + source.redeemGasUsd;
    const outUsd = expected.redeemGasUsd;
    const gasUsd = inUsd + outUsd;
    const exitBps = exitBpsAt(amountUsd, report);
    const lost = deposit.kind === 'reverted' ? 0 : deposit.lost;
    const keptHere = (1 - lost) * (1 - (exitBps ?? 0) / allBps);
    const kept = keptHere * (1 - source.exitBps / allBps);
    // An amount that stays pays for the same exit later.
    const costUsd = (amountUsd + gasUsd - source.redeemGasUsd) / keptHere - amountUsd;
    const isPriced = amountUsd > 0;
    const stay = { amountUsd, apy: apyAfter, days, gasUsd, kept };
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
            : Math.floor(clamp((exit.instantUsd / amountUsd) * allBps, 0, allBps - (exitBps ?? 0))),
      },
      gas: { inUsd: round(inUsd, usdDecimals), outUsd: round(outUsd, usdDecimals) },
      netApy: isPriced ? round(netApy(stay), percentDecimals) : null,
      breakEvenDays: isPriced
        ? breakEvenDays(costUsd, { assetsUsd: amountUsd, apy: apyAfter, apyBefore: source.apy })
        : null,
      fees: { ...fees, exitBps },
      rewards,
      warnings: [
        ...vaultWarnings(vault, amountUsd),
        ...quoteWarnings(vault, deposit),
        ...(simulatedApy === undefined ? [apyEstimated(vault, isHeld)] : []),
      ],
    };
  };

  return {
    quote: async ({ vaultId, ...terms }) => {
      const vault = requireVault(vaultId);
      return quoteOf(vault, terms, { kind: 'new' }, () => costs(vault.chain));
    },
    alternatives: async ({ vaultId, strategy, riskTolerance, ...terms }, signal) => {
      const source = requireVault(vaultId);
      const ceiling = riskLevels.indexOf(riskTolerance ?? source.risk.level);
      const others = discovery
        .best(source.chain, source.asset.symbol, strategy)
        .filter(
          (vault) =>
            vault.vaultId !== vaultId &&
            vault.asset.address === source.asset.address &&
            riskLevels.indexOf(vault.risk.level) <= ceiling,
        )
        .slice(0, maxCandidates);
      let ofChain: ReturnType<typeof costs> | undefined;
      const readOnce = () => (ofChain ??= costs(source.chain));
      const from = await quoteOf(source, terms, { kind: 'held' }, readOnce);
      const entry = {
        kind: 'moved',
        redeemGasUsd: from.gas.outUsd,
        exitBps: from.fees.exitBps ?? 0,
        apy: from.apyAfter,
      } as const;
      const candidates = await inParallel(others, concurrentQuotes, (vault) => {
        signal?.throwIfAborted();
        return quoteOf(vault, terms, entry, readOnce);
      });
      return decide(from, candidates);
    },
  };
}

/** The exit fee of an amount: of the next larger redeem that was measured and paid, or the largest. */
function exitBpsAt(amountUsd: number, { exit, fees }: Pick<VaultReport, 'exit' | 'fees'>): number | null {
  const paid = exit.curve.filter(({ receivedBps }) => receivedBps > 0);
  const step = paid.find((point) => point.amountUsd >= amountUsd) ?? paid.at(-1);
  return step ? Math.max(allBps - step.receivedBps, fees.exitBps ?? 0) : fees.exitBps;
}

function quoteWarnings({ name, listed, exclusions }: RankedVault, deposit: SimulatedDeposit): Warning[] {
  const warnings: Warning[] = [];
  if (deposit.kind === 'reverted')
    warnings.push({
      code: 'DEPOSIT_FAILS',
      message: `${name} refuses a deposit of this amount now: ${quoteReason(deposit.reason)}.`,
    });
  else if (deposit.lost > mostLost)
    warnings.push({
      code: 'DEPOSIT_FAILS',
      message: `A deposit of this amount into ${name} loses ${round(100 * deposit.lost, 2)} % of it.`,
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
