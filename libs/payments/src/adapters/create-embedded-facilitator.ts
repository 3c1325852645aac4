import { setTimeout as pause } from 'node:timers/promises';
import { InMemoryPendingSettlementStore } from '@x402/core/facilitator';
import { eip3009ABI, type FacilitatorEvmSigner } from '@x402/evm';
import { ExactEvmScheme } from '@x402/evm/exact/facilitator';
import type { DatabaseHandle } from '@yield-vault/database';
import { sameHex } from '@yield-vault/protocol';
import pLimit from 'p-limit';
import type { LocalAccount } from 'viem';
import { unavailable, unconfirmed } from '../errors.js';
import type { Facilitator, SettlementOutcome } from '../ports.js';
import type { Payment, PaymentChain } from '../types.js';
import { toPayload, toRequirements } from '../x402-messages.js';
import { guardSigner } from './guard-signer.js';
import { toReason } from './reasons.js';

export interface EmbeddedFacilitatorOptions {
  /** Pays the gas of transfers. It cannot redirect a payment. No other deployment may use it. */
  readonly account: LocalAccount;
  /** Its processes send in turn. Without it, no other process may use the account. */
  readonly database?: Pick<DatabaseHandle, 'openSession'>;
  readonly chains: readonly PaymentChain[];
  /** Time limit of a settlement, its place in the queue included (15,000). Then the outcome is unknown. */
  readonly confirmationTimeoutMs?: number;
}

/**
 * Make a facilitator in this process, for local and staging deployments. It is the scheme class of `@x402/evm` and one
 * serial sender for each chain, also across processes: a transfer is sent when the previous one is mined or timed out. It
 * replaces no stuck transaction.
 */
export function createEmbeddedFacilitator(options: EmbeddedFacilitatorOptions): Facilitator {
  const { account, chains, database, confirmationTimeoutMs = 15_000 } = options;
  const turns = new Map(
    chains.map(({ chainId }) => {
      const acrossProcesses = openTurns(database, `facilitator:${account.address}:${chainId}`);
      return [chainId, { inProcess: pLimit(1), acrossProcesses }];
    }),
  );
  // A repeated settlement waits for its pending transfer instead of sending another one.
  const pendingSettlementStore = new InMemoryPendingSettlementStore();

  function openScheme({ terms: { chain } }: Payment, deadlineMs: number) {
    const { signer, outage } = guardSigner(chain, account, deadlineMs);
    return { signer, scheme: new ExactEvmScheme(signer, { pendingSettlementStore }), outage };
  }

  async function settleNow(payment: Payment, deadlineMs: number): Promise<SettlementOutcome> {
    const { chain } = payment.terms;
    const { scheme, outage } = openScheme(payment, deadlineMs);
    const result = await scheme
      .settle(toPayload(payment), toRequirements(payment.terms))
      .catch((error: unknown) => {
        throw outage() ?? fault(chain, error);
      });
    if (result.success) return { kind: 'settled', transaction: result.transaction as `0x${string}` };
    const down = outage();
    if (down) throw down;
    // It is pending, or a third party's transfer came first, perhaps in a block that another node does not have yet.
    if (result.transaction !== '') throw unconfirmed(chain);
    const reason = toReason(result.errorReason);
    if (reason === undefined) throw fault(chain);
    return { kind: 'refused', reason };
  }

  return {
    sender: account.address,
    async verify(payment) {
      const { signer, scheme, outage } = openScheme(payment, Date.now());
      // Code that cannot be read counts as none, so an outage must not pass here.
      if ((await succeedsForPlainAccount(payment, signer)) && !outage()) return undefined;
      const result = await scheme
        .verify(toPayload(payment), toRequirements(payment.terms))
        // Without an outage, the class throws only for a malformed signature.
        .catch(() => ({ isValid: false, invalidReason: undefined }));
      const down = outage();
      if (down) throw down;
      if (result.isValid) return undefined;
      const reason = toReason(result.invalidReason);
      if (reason === undefined) throw fault(payment.terms.chain);
      return reason;
    },
    async settle(payment) {
      const { chain } = payment.terms;
      const turn = turns.get(chain.chainId);
      if (!turn) throw fault(chain);
      const deadlineMs = Date.now() + confirmationTimeoutMs;
      const timeout = pause(confirmationTimeoutMs, undefined, { ref: false });
      const settling = turn.inProcess(() =>
        turn.acrossProcesses(() => settleNow(payment, deadlineMs), deadlineMs),
      );
      const outcome = await Promise.race([settling, timeout]);
      if (!outcome) throw queueTimeout(chain);
      return outcome;
    },
    async inspect(terms) {
      const problems = terms.some(({ payTo }) => sameHex(payTo, account.address))
        ? ['payTo must differ from the account that pays the gas of the facilitator']
        : [];
      const warnings = await Promise.all(
        chains.map(async ({ rpc, key }) => {
          const balance = await rpc.getBalance({ address: account.address }).catch(() => undefined);
          if (balance === undefined) return [`the RPC of ${key} does not respond`];
          return balance === 0n ? [`the facilitator has no ETH on ${key}`] : [];
        }),
      );
      return { problems, warnings: warnings.flat() };
    },
  };
}

type RunInTurn = <T>(work: () => Promise<T>, deadlineMs: number) => Promise<T | undefined>;

/** Let the processes of a database work in turn. Its package is only needed by callers that have a database. */
function openTurns(database: EmbeddedFacilitatorOptions['database'], name: string): RunInTurn {
  if (!database) return async (work, deadlineMs) => (Date.now() < deadlineMs ? work() : undefined);
  const opening = import('@yield-vault/database').then(({ createAdvisoryLock }) =>
    createAdvisoryLock(database, name),
  );
  return async (work, deadlineMs) => (await opening).run(work, deadlineMs);
}

/**
 * Simulate the transfer, which checks signature, nonce, time and balance in one request. The scheme class sends three,
 * one after the other; it decides for wallets with code, and finds the reason of a refusal.
 */
async function succeedsForPlainAccount(
  { terms: { chain }, authorization, signature }: Payment,
  signer: FacilitatorEvmSigner,
): Promise<boolean> {
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  const transfer = signer.readContract({
    address: chain.asset.address,
    abi: eip3009ABI,
    functionName: 'transferWithAuthorization',
    args: [from, to, value, validAfter, validBefore, nonce, signature],
  });
  const succeeds = transfer.then(
    () => true,
    () => false,
  );
  const [isValid, code] = await Promise.all([succeeds, signer.getCode({ address: from })]);
  return isValid && code === undefined;
}

const queueTimeout = ({ key }: PaymentChain) =>
  unavailable(`facilitator:${key}`, 'the transfer was not mined in time');
const fault = ({ key }: PaymentChain, cause?: unknown) =>
  unavailable(`facilitator:${key}`, 'it cannot process payments', cause);
