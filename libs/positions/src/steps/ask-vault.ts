import { isExecutionRevert, isOutOfGas } from '@yield-vault/chains';
import {
  decodeFunctionResult,
  encodeFunctionData,
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

// Views of the field stay far below it. One that burns everything it gets takes neither gas nor time from the others.
const gas = 5_000_000n;

/**
 * Ask one vault for one number. Each question is an `eth_call` of its own; those of one turn travel together. It goes
 * through Multicall3, which tells every failure of a vault in the same way, whereas nodes word it each in their own.
 *
 * @returns `undefined` where the vault does not say: it reverts, burns all its gas, answers no number or is not there
 * @throws whatever else the node answers, which is no verdict on the vault
 */
export async function askVault(
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
