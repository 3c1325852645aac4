import { isExecutionRevert, isOutOfGas } from '@yield-vault/chains';
import { minBigInt } from '@yield-vault/protocol';
import {
  decodeFunctionResult,
  encodeFunctionData,
  erc4626Abi,
  getChainContractAddress,
  hexToBigInt,
  multicall3Abi,
  parseAbi,
  prepareEncodeFunctionData,
  size,
  slice,
  type Address,
  type Hex,
  type PublicClient,
} from 'viem';

// Prepared, because a batch encodes hundreds of calls.
const aggregate3 = prepareEncodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3' });
const getBlockNumber = encodeFunctionData({
  abi: parseAbi(['function getBlockNumber() view returns (uint256)']),
});
const balanceOf = prepareEncodeFunctionData({ abi: erc4626Abi, functionName: 'balanceOf' });
const previewRedeem = prepareEncodeFunctionData({ abi: erc4626Abi, functionName: 'previewRedeem' });
const convertToAssets = prepareEncodeFunctionData({ abi: erc4626Abi, functionName: 'convertToAssets' });

// Vault views use far less. A view that burns all its gas leaves the others theirs.
const gas = 5_000_000n;

interface NumberCall {
  readonly target: Address;
  readonly callData: Hex;
}

/**
 * Read one number from each of some contracts with one `eth_call`; concurrent calls share a request. Multicall3 reports
 * every failure of a contract in the same way, where nodes differ in their words.
 *
 * @returns `undefined` for a contract that reverts, returns no number or does not exist, and for all when one burns the gas
 * @throws any other error of the node
 */
async function readNumbers(
  rpc: PublicClient,
  calls: readonly NumberCall[],
  where: { readonly blockNumber: bigint | undefined; readonly gas?: bigint },
): Promise<readonly (bigint | undefined)[]> {
  const args = [calls.map((call) => ({ ...call, allowFailure: true }))] as const;
  const data = encodeFunctionData({ ...aggregate3, args });
  const response = await rpc.call({ ...where, to: multicall3Of(rpc), data }).then(
    (result) => result.data,
    (error: unknown) => {
      if (isExecutionRevert(error) || isOutOfGas(error)) return undefined;
      throw error;
    },
  );
  if (response === undefined) return calls.map(() => undefined);
  return decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data: response }).map(
    ({ success, returnData }) =>
      success && size(returnData) >= 32 ? hexToBigInt(slice(returnData, 0, 32)) : undefined,
  );
}

const multicall3Of = ({ chain }: PublicClient) =>
  getChainContractAddress({ chain: chain!, contract: 'multicall3' });

/**
 * Read one number from one vault with its own `eth_call`, so that it burns no gas of others.
 *
 * @returns `undefined` when the vault fails
 * @throws any error of the node that the vault did not cause
 */
export async function readVault(
  rpc: PublicClient,
  target: Address,
  callData: Hex,
  blockNumber: bigint,
): Promise<bigint | undefined> {
  const [value] = await readNumbers(rpc, [{ target, callData }], { blockNumber, gas });
  return value;
}

// Every node's gas cap for eth_call allows so many calls.
const callsOfBatch = 200;

/** The newest block, and the balances of some wallets in it. */
export interface Head {
  readonly pinned: bigint;
  /** Of each wallet, in the order of the tokens. */
  readonly balances: readonly (readonly bigint[])[];
}

/**
 * Read the balances of some wallets at the newest block, in one request. Failed reads are repeated alone, because a token
 * may have burnt their gas.
 *
 * @param blockNumber - default the newest block
 * @throws any error of the node that no token caused
 */
export async function readHead(
  rpc: PublicClient,
  wallets: readonly Address[],
  tokens: readonly Address[],
  blockNumber?: bigint,
): Promise<Head> {
  const calls = wallets.flatMap((wallet) => {
    const callData = encodeFunctionData({ ...balanceOf, args: [wallet] });
    return tokens.map((target): NumberCall => ({ target, callData }));
  });
  const number: NumberCall = { target: multicall3Of(rpc), callData: getBlockNumber };
  const batches = Array.from({ length: Math.ceil(calls.length / callsOfBatch) || 1 }, (_, index) =>
    calls.slice(index * callsOfBatch, (index + 1) * callsOfBatch),
  );
  const read = await Promise.all(
    batches.map(async (batch) => {
      const [block, ...numbers] = await readNumbers(rpc, [number, ...batch], { blockNumber });
      // One token burnt the gas of the whole call.
      return { pinned: block ?? blockNumber ?? (await rpc.getBlockNumber({ cacheTime: 0 })), numbers };
    }),
  );
  const pinned = read.reduce((oldest, batch) => minBigInt(oldest, batch.pinned), read[0]!.pinned);
  // A block arrived between two batches.
  if (read.some((batch) => batch.pinned !== pinned)) return readHead(rpc, wallets, tokens, pinned);
  const numbers = read.flatMap((batch) => batch.numbers);
  const balances = await Promise.all(
    calls.map(
      async ({ target, callData }, index) =>
        numbers[index] ?? (await readVault(rpc, target, callData, pinned)) ?? 0n,
    ),
  );
  const ofWallet = (index: number) => balances.slice(index * tokens.length, (index + 1) * tokens.length);
  return { pinned, balances: wallets.map((_, index) => ofWallet(index)) };
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
      const args = [balance] as const;
      const [redeemable, assets = 0n] = await Promise.all([
        readVault(rpc, vaultAddress, encodeFunctionData({ ...previewRedeem, args }), blockNumber),
        readVault(rpc, vaultAddress, encodeFunctionData({ ...convertToAssets, args }), blockNumber),
      ]);
      return { redeemable: redeemable ?? assets, assets };
    }),
  );
}
