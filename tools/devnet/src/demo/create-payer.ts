import { x402Client, x402HTTPClient } from '@x402/core/client';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import type { Payer } from '@yield-vault/agent-client';
import type { LocalAccount } from 'viem';

/** Make the payer of a wallet, which pays on one chain. */
export function createPayer(wallet: LocalAccount, chainId: number): Payer {
  const client = new x402Client().register(
    `eip155:${String(chainId)}` as `eip155:${number}`,
    new ExactEvmScheme(wallet),
  );
  const x402 = new x402HTTPClient(client);
  return async ({ header, body }) => {
    const terms = x402.getPaymentRequiredResponse(header, body);
    return x402.encodePaymentSignatureHeader(await x402.createPaymentPayload(terms));
  };
}
