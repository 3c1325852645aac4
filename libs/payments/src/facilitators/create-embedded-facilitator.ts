import { ExactEvmScheme } from '@x402/evm/exact/facilitator';
import { sameHex } from '@yield-vault/protocol';
import type { LocalAccount } from 'viem';
import { PaymentSetupError, unavailable, unconfirmed } from '../errors.js';
import type { Facilitator, PaymentChain } from '../ports.js';
import { toRequirements } from '../steps/to-requirements.js';
import type { Payment } from '../types.js';
import { createBroadcaster } from './create-broadcaster.js';
import { guardSigner } from './guard-signer.js';
import { isSignedByWallet } from './is-signed-by-wallet.js';
import { toReason } from './reasons.js';
import { toPayload } from './to-payload.js';
import { wouldTransfer } from './would-transfer.js';

export interface EmbeddedFacilitatorOptions {
  /**
   * Pays the gas of transfers, and can do nothing else: an authorization names its payee. No other process may send
   * from it.
   */
  readonly account: LocalAccount;
  readonly chains: readonly PaymentChain[];
  /** How long a transfer is waited for, its turn included (15,000); after that the outcome is unknown. */
  readonly confirmationTimeoutMs?: number;
  /** Wei, by chain key; above it no transfer is sent. Without it whatever the node asks is paid. */
  readonly maxFeePerGas?: Readonly<Record<string, bigint>>;
}

/** Make a facilitator of this process, which checks and carries payments out through the nodes of the chains. */
export function createEmbeddedFacilitator(options: EmbeddedFacilitatorOptions): Facilitator {
  const { account, chains, confirmationTimeoutMs = 15_000, maxFeePerGas = {} } = options;
  const broadcasters = new Map(
    chains.map((chain) => {
      const limits = { confirmationTimeoutMs, maxFeePerGas: maxFeePerGas[chain.key] };
      return [chain.chainId, createBroadcaster(chain, account, limits)];
    }),
  );

  function schemeFor({ terms: { chain }, authorization }: Payment) {
    const broadcaster = broadcasters.get(chain.chainId);
    if (!broadcaster) throw new PaymentSetupError([`the facilitator does not know the chain ${chain.key}`]);
    const { signer, outage } = guardSigner(chain, broadcaster, authorization.from);
    return {
      broadcaster,
      signer,
      scheme: new ExactEvmScheme(signer),
      outage,
      fault: (cause?: unknown) => unavailable(`facilitator:${chain.key}`, 'it does not work', cause),
    };
  }

  return {
    async verify(payment) {
      const { broadcaster, signer, scheme, outage, fault } = schemeFor(payment);
      // Asked in one turn, these travel in one request.
      const [isGood, code, isOwn] = await Promise.all([
        wouldTransfer(payment),
        signer.getCode({ address: payment.authorization.from }),
        isSignedByWallet(payment, signer),
        broadcaster.checkFees(),
      ]);
      const isSigned = isGood && (code === undefined || isOwn);
      if (isSigned && !outage()) return undefined;
      // The token or the wallet says no, and the scheme class finds out why.
      const verdict = await scheme
        .verify(toPayload(payment), toRequirements(payment.terms))
        // A signature of an unheard-of form; without an outage nothing else throws.
        .catch(() => ({ isValid: false, invalidReason: undefined }));
      const down = outage();
      if (down) throw down;
      if (verdict.isValid) return undefined;
      const reason = toReason(verdict.invalidReason);
      if (reason === undefined) throw fault();
      return reason;
    },
    async settle(payment) {
      const { scheme, outage, fault } = schemeFor(payment);
      const result = await scheme
        .settle(toPayload(payment), toRequirements(payment.terms))
        .catch((error: unknown) => {
          throw outage() ?? fault(error);
        });
      if (result.success) return { kind: 'settled', transaction: result.transaction as `0x${string}` };
      const down = outage();
      if (down) throw down;
      // It reverted where somebody else was faster, perhaps in a block that another node has not got yet.
      if (result.transaction !== '') throw unconfirmed(payment.terms.chain);
      const reason = toReason(result.errorReason);
      if (reason === undefined) throw fault();
      return { kind: 'refused', reason };
    },
    async inspect(terms) {
      const problems = terms.some(({ payTo }) => sameHex(payTo, account.address))
        ? ['the facilitator pays gas from the account that is paid']
        : [];
      const warnings = await Promise.all(
        chains.map(async ({ rpc, key }) => {
          const balance = await rpc.getBalance({ address: account.address }).catch(() => undefined);
          if (balance === undefined) return [`the node of ${key} does not answer`];
          return balance === 0n ? [`the facilitator has no ETH on ${key}`] : [];
        }),
      );
      return { problems, warnings: warnings.flat() };
    },
  };
}
