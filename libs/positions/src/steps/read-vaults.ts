import {
  ContractFunctionExecutionError,
  erc4626Abi,
  type Address,
  type MulticallResponse,
  type PublicClient,
} from 'viem';

// Bytes of call data in one batched call: some 240 calls, which every node's gas cap for eth_call allows.
const batchSize = 16_384;

/**
 * Take what a contract answered, or `undefined` where it reverted or is not there.
 *
 * @throws the error of the batch itself: then no contract was asked
 */
function answer(response: MulticallResponse<bigint>): bigint | undefined {
  if (response.status === 'success') return response.result;
  const { error } = response;
  if (error instanceof ContractFunctionExecutionError && error.functionName !== 'aggregate3')
    return undefined;
  throw error;
}

/** Read the share balances of a wallet at one block, in the order of the vaults. */
export async function readBalances(
  rpc: PublicClient,
  wallet: Address,
  vaults: readonly Address[],
  blockNumber: bigint,
): Promise<bigint[]> {
  const responses = await rpc.multicall({
    blockNumber,
    batchSize,
    contracts: vaults.map((address) => ({
      address,
      abi: erc4626Abi,
      functionName: 'balanceOf' as const,
      args: [wallet] as const,
    })),
  });
  return responses.map((response) => answer(response) ?? 0n);
}

/** What some shares are worth, in base units of the asset. */
export interface ShareValue {
  /** What a redeem would pay now, exit fee included. */
  readonly redeemable: bigint;
  /** Before exit fees. */
  readonly assets: bigint;
}

/**
 * Value the shares of some vaults at one block. Where previewRedeem reverts, as paused vaults may let it,
 * convertToAssets stands in; where both do, the shares pay nothing now.
 */
export async function readShareValues(
  rpc: PublicClient,
  holdings: readonly { readonly vaultAddress: Address; readonly balance: bigint }[],
  blockNumber: bigint,
): Promise<ShareValue[]> {
  const responses = await rpc.multicall({
    blockNumber,
    batchSize,
    contracts: holdings.flatMap(({ vaultAddress: address, balance }) =>
      (['previewRedeem', 'convertToAssets'] as const).map((functionName) => ({
        address,
        abi: erc4626Abi,
        functionName,
        args: [balance] as const,
      })),
    ),
  });
  const answers = responses.map(answer);
  return holdings.map((_, index) => {
    const assets = answers[2 * index + 1] ?? 0n;
    return { redeemable: answers[2 * index] ?? assets, assets };
  });
}
