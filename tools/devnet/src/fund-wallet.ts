import {
  localAddresses,
  localUsdcAbi,
  type LocalChainId,
  callAsOperator,
  createChainClient,
  request,
} from '@yield-vault/testing/local';
import { numberToHex, type Address } from 'viem';

/** Amounts to add to a wallet. */
export interface Funding {
  readonly ethWei?: bigint;
  /** Base units, 6 decimals. */
  readonly usdc?: bigint;
}

/**
 * Add ETH and USDC to a wallet on a devnet chain. The USDC is minted.
 *
 * @returns The balances afterwards, in wei and in base units.
 */
export async function fundWallet(
  chain: { readonly rpcUrl: string; readonly chainId: LocalChainId },
  wallet: Address,
  funding: Funding,
): Promise<{ ethWei: bigint; usdc: bigint }> {
  const client = createChainClient(chain.rpcUrl);
  const token = { address: localAddresses[chain.chainId].usdc, abi: localUsdcAbi } as const;
  if (funding.ethWei) {
    await request(client, 'anvil_addBalance', [wallet, numberToHex(funding.ethWei)]);
  }
  if (funding.usdc) {
    await callAsOperator(client, { ...token, functionName: 'mint', args: [wallet, funding.usdc] });
  }
  const usdc = await client.readContract({ ...token, functionName: 'balanceOf', args: [wallet] });
  return { ethWei: await client.getBalance({ address: wallet }), usdc };
}
