import { x402Facilitator } from '@x402/core/facilitator';
import type { FacilitatorClient } from '@x402/core/server';
import { toFacilitatorEvmSigner } from '@x402/evm';
import { ExactEvmScheme } from '@x402/evm/exact/facilitator';
import { createWalletClient, http, publicActions, type Hex } from 'viem';
import { nonceManager, privateKeyToAccount } from 'viem/accounts';
import { base } from 'viem/chains';

// As often as ours looks for a receipt.
const pollingInterval = 10;

/** Make the facilitator of the packages as their documentation does, with the nonces that it needs to serve many at once. */
export function createStockFacilitator(rpcUrl: string, key: Hex): FacilitatorClient {
  const account = privateKeyToAccount(key, { nonceManager });
  const client = createWalletClient({
    ...{ account, chain: base, transport: http(rpcUrl), pollingInterval },
  }).extend(publicActions);
  const signer = toFacilitatorEvmSigner({
    ...client,
    address: account.address,
    readContract: (call) => client.readContract(call),
    verifyTypedData: (call) => client.verifyTypedData(call as Parameters<typeof client.verifyTypedData>[0]),
    writeContract: (call) => client.writeContract(call),
  });
  const facilitator = new x402Facilitator().register('eip155:8453', new ExactEvmScheme(signer));
  return {
    verify: (payload, requirements) => facilitator.verify(payload, requirements),
    settle: (payload, requirements) => facilitator.settle(payload, requirements),
    getSupported: () => Promise.resolve(facilitator.getSupported() as never),
  };
}
