import { asUpstreamError, isExecutionRevert, isOutOfGas } from '@yield-vault/chains';
import {
  decodeFunctionResult,
  encodeFunctionData,
  erc4626Abi,
  getChainContractAddress,
  hexToBigInt,
  multicall3Abi,
  size,
  slice,
  type Address,
  type Hex,
  type PublicClient,
} from 'viem';

const aggregate3 = { abi: multicall3Abi, functionName: 'aggregate3' } as const;

// Vault views use far less. A view that burns all its gas leaves the others theirs.
const gas = 5_000_000n;

/**
 * Read one number from one vault with its own `eth_call`; concurrent calls share a request. Multicall3 reports every
 * failure of a vault in the same way, where nodes differ in their words.
 *
 * @returns `undefined` when the vault reverts, burns all its gas, returns no number or does not exist
 * @throws any other error of the node
 */
export async function readVault(
  rpc: PublicClient,
  vault: Address,
  callData: Hex,
  blockNumber: bigint,
): Promise<bigint | undefined> {
  const args = [[{ target: vault, allowFailure: true, callData }]] as const;
  const data = encodeFunctionData({ ...aggregate3, args });
  const to = getChainContractAddress({ chain: rpc.chain!, contract: 'multicall3' });
  const answered = await rpc.call({ to, data, gas, blockNumber }).then(
    (answer) => answer.data,
    (error: unknown) => {
      if (isExecutionRevert(error) || isOutOfGas(error)) return undefined;
      throw error;
    },
  );
  if (answered === undefined) return undefined;
  const [answer] = decodeFunctionResult({ ...aggregate3, data: answered });
  if (!answer?.success || size(answer.returnData) < 32) return undefined;
  return hexToBigInt(slice(answer.returnData, 0, 32));
}

// Bytes of call data in one batched call: some 240 calls, which every node's gas cap for eth_call allows.
const batchSize = 16_384;

/**
 * Read the share balances of a wallet at one block, in the order of the vaults. One call reads all; failed
 * reads are repeated alone, because another vault may have burnt their gas.
 *
 * @throws any error of the node that no vault caused
 */
export async function readBalances(
  rpc: PublicClient,
  wallet: Address,
  vaults: readonly Address[],
  blockNumber: bigint,
): Promise<bigint[]> {
  const balanceOf = { abi: erc4626Abi, functionName: 'balanceOf', args: [wallet] } as const;
  const responses = await rpc.multicall({
    blockNumber,
    batchSize,
    contracts: vaults.map((address) => ({ address, ...balanceOf })),
  });
  return Promise.all(
    responses.map(async (response, index) => {
      if (response.status === 'success') return response.result;
      if (asUpstreamError(response.error, 'rpc')) throw response.error;
      return (await readVault(rpc, vaults[index]!, encodeFunctionData(balanceOf), blockNumber)) ?? 0n;
    }),
  );
}

/** The worth of some shares, in base units of the asset. */
export interface ShareValue {
  /** A redeem would pay this now, after its exit fee. */
  readonly redeemable: bigint;
  /** Before exit fees. */
  readonly assets: bigint;
}

/**
 * Value the shares of some vaults at one block. Where previewRedeem fails, as in some paused vaults,
 * convertToAssets is used. Where both fail, the shares pay nothing now.
 *
 * @throws any error of the node that no vault caused
 */
export function readShareValues(
  rpc: PublicClient,
  holdings: readonly { readonly vaultAddress: Address; readonly balance: bigint }[],
  blockNumber: bigint,
): Promise<ShareValue[]> {
  return Promise.all(
    holdings.map(async ({ vaultAddress, balance }) => {
      const request = (functionName: 'previewRedeem' | 'convertToAssets') => {
        const data = encodeFunctionData({ abi: erc4626Abi, functionName, args: [balance] });
        return readVault(rpc, vaultAddress, data, blockNumber);
      };
      const [redeemable, assets = 0n] = await Promise.all([
        request('previewRedeem'),
        request('convertToAssets'),
      ]);
      return { redeemable: redeemable ?? assets, assets };
    }),
  );
}
