import { x402Client, x402HTTPClient } from '@x402/core/client';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import type { PaymentRequirements } from '@x402/core/types';
import { findChainFacts } from '@yield-vault/contracts';
import { sameHex } from '@yield-vault/protocol';
import type { Payer } from './http/create-caller.js';
import { accountOf, type AgentSigner } from './sign/signer.js';

// A signed payment can be charged for this long.
const maxSeconds = 600;

// The terms are unchecked JSON.
function isAcceptable({ network, asset, maxTimeoutSeconds, extra }: PaymentRequirements): boolean {
  const usdc = findChainFacts(Number(network.replace('eip155:', '')))?.usdc.address;
  return (
    Number.isInteger(maxTimeoutSeconds) &&
    maxTimeoutSeconds <= maxSeconds &&
    sameHex(usdc, asset) &&
    !extra['assetTransferMethod']
  );
}

/** Limits of what a payer signs. */
export interface PayerOptions {
  /** Highest price of one request, e.g. `$0.05`; `$1` by default. */
  readonly maxPayment?: `$${number}`;
  /** Pay on this chain only. By default on the first that the service names. */
  readonly chainId?: number;
}

/**
 * Create a payer that signs x402 payments in USDC, each within a limit and for at most 10 minutes. The signer needs the USDC on the chain that is paid on.
 *
 * @example
 * const client = createAgentClient({ baseUrl, payer: createPayer(account, { maxPayment: '$0.05' }) });
 */
export function createPayer(signer: AgentSigner, { maxPayment = '$1', chainId }: PayerOptions = {}): Payer {
  return async ({ header, body }) => {
    const scheme = new ExactEvmScheme(await accountOf(signer));
    const client = new x402Client()
      .register(`eip155:${chainId ?? '*'}`, scheme)
      .registerPolicy((_version, accepts) => accepts.filter(isAcceptable))
      .setSpendControls({ maxAmountPerPayment: maxPayment });
    const x402 = new x402HTTPClient(client);
    const terms = x402.getPaymentRequiredResponse(header, body);
    return x402.encodePaymentSignatureHeader(await x402.createPaymentPayload(terms));
  };
}
