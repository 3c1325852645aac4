import {
  paymasterFault,
  readFunds,
  type ActiveChains,
  type ChainFunds,
  type GasPayers,
} from '@yield-vault/chains';
import { priceLifeSeconds } from '@yield-vault/contracts';
import type { IntentCount } from '@yield-vault/execution-relay';
import type { PaymentsInFlight } from '@yield-vault/payments';
import type { Job } from '@yield-vault/database';
import { Gauge, type Registry } from 'prom-client';
import { metricPrefix } from './metric-prefix.js';

/** Gauges that a job sets. */
export interface PolledGauges {
  readonly job: Job;
  /** Forget what was read: another process may be the worker. */
  reset(): void;
}

const countIntervalMs = 5_000;
const fundsIntervalMs = 30_000;
const openStates = ['reserved', 'simulated', 'submitted', 'included'];

/** Add the metrics of the ledgers, which all processes share. `countPayments` is left out where payments are off. */
export function createLedgerGauges(
  countIntents: () => Promise<readonly IntentCount[]>,
  countPayments: (() => Promise<PaymentsInFlight>) | undefined,
  registry: Registry,
): PolledGauges {
  const registers = [registry];
  const intents = new Gauge({
    name: `${metricPrefix}intents`,
    help: 'Open intents by state. Absent while the database does not respond.',
    labelNames: ['state'],
    registers,
  });
  const oldest = new Gauge({
    name: `${metricPrefix}oldest_open_intent_seconds`,
    help: 'Age of the oldest intent without a final state; 0 without any.',
    registers,
  });
  const overdue = new Gauge({
    name: `${metricPrefix}overdue_intents`,
    help: 'Intents without a final state over a minute after their expiry: the chain does not decide them.',
    registers,
  });
  const payments =
    countPayments &&
    new Gauge({
      name: `${metricPrefix}payments_in_flight`,
      help: 'Unsettled payments. Lapsed ones wait for their payer or the worker. Absent while the database does not respond.',
      labelNames: ['state'],
      registers,
    });
  const reset = () => [intents, oldest, overdue, payments].forEach((gauge) => gauge?.reset());

  const run = async () => {
    try {
      const [found, inFlight] = await Promise.all([countIntents(), countPayments?.()]);
      for (const state of openStates)
        intents.set({ state }, found.find((each) => each.state === state)?.count ?? 0);
      oldest.set(Math.max(0, ...found.map(({ oldestSeconds }) => oldestSeconds)));
      overdue.set(found.reduce((sum, each) => sum + each.overdue, 0));
      for (const [state, count] of Object.entries(inFlight ?? {})) payments?.set({ state }, count);
      return 'done' as const;
    } catch (error) {
      reset();
      throw error;
    }
  };
  return { job: { name: 'ledger-gauges', intervalMs: countIntervalMs, run }, reset };
}

const weiPerEther = 1e18;
const usdcUnit = 1e6;

/**
 * Add the metrics of the ETH that the service needs on each chain, and of the paymaster's income and price.
 *
 * @param payers - `gasAccount` pays for the embedded facilitator, `keeper` for the price
 * @param store - keeps what is wrong with the paymaster, for every process
 * @param refreshUsdc - most that the keeper pays for one price, in base units
 */
export function createFundsGauges(
  { all }: Pick<ActiveChains, 'all'>,
  payers: GasPayers,
  store: (chainId: number, fault: ReturnType<typeof paymasterFault>) => Promise<unknown>,
  refreshUsdc: bigint,
  registry: Registry,
): PolledGauges {
  const registers = [registry];
  const ether = new Gauge({
    name: `${metricPrefix}funds_ether`,
    help: 'ETH of the service: deposit and stake of our paymaster, and the accounts that pay gas. Absent while the node does not respond.',
    labelNames: ['chain', 'account'],
    registers,
  });
  const paymaster = new Gauge({
    name: `${metricPrefix}paymaster_account`,
    help: "Our paymaster's deposit, USDC and stored price, each from the same block; and the most ether that an operation and a new price may cost. Operations never lower deposit × price + USDC.",
    labelNames: ['chain', 'entry'],
    registers,
  });
  const prices = new Map<string, { readonly validUntil: number; readonly refreshAt: number }>();
  new Gauge({
    name: `${metricPrefix}paymaster_price_age_ratio`,
    help: "Age of our paymaster's stored price, as a fraction of its life: above 1 it has expired.",
    labelNames: ['chain'],
    registers,
    collect() {
      this.reset();
      for (const [chain, { validUntil, refreshAt }] of prices) {
        // A price on a fork never expires.
        const life = Math.max(1, priceLifeSeconds({ validUntil, refreshAt }));
        this.set({ chain }, Math.max(0, 1 - (validUntil - Date.now() / 1000) / life));
      }
    },
  });

  const reset = () => {
    ether.reset();
    paymaster.reset();
    prices.clear();
  };
  const show = (chain: string, funds: ChainFunds) => {
    for (const account of ['paymasterDeposit', 'paymasterStake', 'gasAccount', 'keeper'] as const) {
      const wei = funds[account];
      if (wei !== undefined) ether.set({ chain, account }, Number(wei) / weiPerEther);
    }
    const { paymasterDeposit, paymasterUsdc, usdcPerEther, operationCeiling } = funds;
    const { paymasterPriceValidUntil: validUntil, paymasterPriceRefreshAt: refreshAt } = funds;
    if (validUntil !== undefined && refreshAt !== undefined) prices.set(chain, { validUntil, refreshAt });
    if (paymasterDeposit === undefined) return;
    paymaster.set({ chain, entry: 'depositEther' }, Number(paymasterDeposit) / weiPerEther);
    paymaster.set({ chain, entry: 'usdc' }, Number(paymasterUsdc) / usdcUnit);
    paymaster.set({ chain, entry: 'usdcPerEther' }, Number(usdcPerEther) / usdcUnit);
    if (operationCeiling === undefined) return;
    paymaster.set({ chain, entry: 'operationEther' }, Number(operationCeiling) / weiPerEther);
    paymaster.set({ chain, entry: 'refreshEther' }, Number(refreshUsdc) / Number(usdcPerEther));
  };

  const run = async () => {
    const found = await Promise.all(
      all.map(async (chain) => ({
        chain,
        // The upstream metrics show a node that does not respond.
        funds: await readFunds(chain, payers).catch((): ChainFunds => ({})),
      })),
    );
    reset();
    for (const { chain, funds } of found) show(chain.key, funds);
    for (const { chain, funds } of found)
      if (funds.paymasterDeposit !== undefined) await store(chain.chainId, paymasterFault(funds));
    return 'done' as const;
  };
  return { job: { name: 'funds-gauges', intervalMs: fundsIntervalMs, run }, reset };
}
