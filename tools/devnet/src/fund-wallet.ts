import { localAddresses, localUsdcAbi, type LocalChainId } from '@yield-vault/testing/local';
import { encodeFunctionData, numberToHex, type Address } from 'viem';
import { createChainClient, request, sendAsOperator } from './steps/chain-client.js';

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
  const { usdc } = localAddresses[chain.chainId];
  if (funding.ethWei) {
    await request(client, 'anvil_addBalance', [wallet, numberToHex(funding.ethWei)]);
  }
  if (funding.usdc) {
    const data = encodeFunctionData({
      abi: localUsdcAbi,
      functionName: 'mint',
      args: [wallet, funding.usdc],
    });
    await sendAsOperator(client, { to: usdc, data }, `Minting USDC for ${wallet}`);
  }
  const balance = await client.readContract({
    address: usdc,
    abi: localUsdcAbi,
    functionName: 'balanceOf',
    args: [wallet],
  });
  return { ethWei: await client.getBalance({ address: wallet }), usdc: balance };
}
