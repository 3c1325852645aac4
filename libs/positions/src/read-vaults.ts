import { asUpstreamError, isExecutionRevert, isOutOfGas } from '@yield-vault/chains';
import {
  decodeFunctionResult,
  encodeFunctionData,
  erc4626Abi,
  getChainContractAddress,
  hexToBigInt,
  multicall3Abi,
  parseAbi,
  size,
  slice,
  type Address,
  type ContractFunctionParameters,
  type Hex,
  type MulticallResponse,
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
  const response = await rpc.call({ to, data, gas, blockNumber }).then(
    (result) => result.data,
    (error: unknown) => {
      if (isExecutionRevert(error) || isOutOfGas(error)) return undefined;
      throw error;
    },
  );
  if (response === undefined) return undefined;
  const [result] = decodeFunctionResult({ ...aggregate3, data: response });
  if (!result?.success || size(result.returnData) < 32) return undefined;
  return hexToBigInt(slice(result.returnData, 0, 32));
}

const headAbi = parseAbi([
  'function getBlockNumber() view returns (uint256)',
  'function balanceOf(address) view returns (uint256)',
]);

// Every node's gas cap for eth_call allows so many calls.
const callsOfBatch = 200;

/** The newest block, and the share balances of a wallet in it. */
export interface Head {
  readonly pinned: bigint;
  /** In the order of the vaults. */
  readonly balances: readonly bigint[];
}

/**
 * Read the share balances of a wallet at the newest block, in one request. Failed reads are repeated alone, because a vault
 * may have burnt their gas.
 *
 * @throws any error of the node that no vault caused
 */
export async function readHead(
  rpc: PublicClient,
  wallet: Address,
  vaults: readonly Address[],
): Promise<Head> {
  const reads = vaults.map(
    (address) => ({ address, abi: headAbi, functionName: 'balanceOf', args: [wallet] }) as const,
  );
  const { pinned, responses } = await readNumbers(rpc, reads);
  const balances = await Promise.all(
    responses.map(async (response, index) => {
      if (response.status === 'success') return response.result;
      if (asUpstreamError(response.error, 'rpc')) throw response.error;
      return (await readVault(rpc, vaults[index]!, encodeFunctionData(reads[index]!), pinned)) ?? 0n;
    }),
  );
  return { pinned, balances };
}

async function readNumbers(
  rpc: PublicClient,
  reads: readonly ContractFunctionParameters<typeof headAbi, 'view', 'balanceOf'>[],
  blockNumber?: bigint,
): Promise<{ pinned: bigint; responses: MulticallResponse<bigint>[] }> {
  const multicall3 = getChainContractAddress({ chain: rpc.chain!, contract: 'multicall3' });
  const number = { address: multicall3, abi: headAbi, functionName: 'getBlockNumber' } as const;
  const where = blockNumber === undefined ? { blockTag: 'latest' as const } : { blockNumber };
  const batches = Array.from({ length: Math.ceil(reads.length / callsOfBatch) }, (_, index) =>
    reads.slice(index * callsOfBatch, (index + 1) * callsOfBatch),
  );
  const read = await Promise.all(
    batches.map(async (batch) => {
      const contracts = [number, ...batch];
      const [block, ...responses] = await rpc.multicall({ ...where, batchSize: 0, contracts });
      if (block?.status === 'success') return { pinned: block.result, responses };
      if (!block || asUpstreamError(block.error, 'rpc'))
        throw block?.error ?? new TypeError('the multicall has no results');
      // One vault burnt the gas of the whole call.
      return { pinned: blockNumber ?? (await rpc.getBlockNumber({ cacheTime: 0 })), responses };
    }),
  );
  const pinned = read.reduce(
    (oldest, batch) => (batch.pinned < oldest ? batch.pinned : oldest),
    read[0]!.pinned,
  );
  // A block arrived between two batches.
  if (read.some((batch) => batch.pinned !== pinned)) return readNumbers(rpc, reads, pinned);
  return { pinned, responses: read.flatMap((batch) => batch.responses) };
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
      if (balance === 0n) return { redeemable: 0n, assets: 0n };
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
