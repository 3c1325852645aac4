import { yieldVaultAccountAbi } from '@yield-vault/contracts';
import {
  encodeAbiParameters,
  encodeFunctionData,
  pad,
  parseAbiParameters,
  type Address,
  type Hex,
} from 'viem';

/** A call that an account makes, without value. */
export interface AccountCall {
  readonly to: Address;
  readonly data: Hex;
}

/** ERC-7579 mode of several calls that revert as a whole. */
const batchMode = pad('0x01', { dir: 'right', size: 32 });
const executions = parseAbiParameters('(address target, uint256 value, bytes callData)[]');

/** Encode the call that a wallet sends to itself to make several calls in one transaction, all or none. */
export function encodeAccountBatch(calls: readonly AccountCall[]): Hex {
  const batch = encodeAbiParameters(executions, [
    calls.map(({ to, data }) => ({ target: to, value: 0n, callData: data })),
  ]);
  return encodeFunctionData({ abi: yieldVaultAccountAbi, functionName: 'execute', args: [batchMode, batch] });
}
