import { localOperator } from '@yield-vault/contracts/local';
import { numberToHex, type Address, type Hex } from 'viem';
import { request, type ChainClient } from './chain-client.js';

/**
 * Send a transaction of the local operator, who may mint USDC and keeps the vaults, and wait for its receipt.
 *
 * @param purpose What it does, in words, for the error.
 * @throws {Error} When it reverts.
 */
export async function sendAsOperator(
  client: ChainClient,
  { value = 0n, ...call }: { readonly to: Address; readonly data: Hex; readonly value?: bigint },
  purpose: string,
): Promise<void> {
  await client.impersonateAccount({ address: localOperator });
  const transaction = {
    from: localOperator,
    ...call,
    value: numberToHex(value),
    gas: numberToHex(10_000_000),
  };
  const receipt = await request<{ status: Hex }>(client, 'eth_sendTransactionSync', [transaction]);
  if (receipt.status !== '0x1') throw new Error(`${purpose} reverted`);
}
