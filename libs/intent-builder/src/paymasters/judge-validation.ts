import { asUpstreamError, type ActiveChain } from '@yield-vault/chains';
import { totalGasLimit, userOperationHash, type UserOperation } from '@yield-vault/protocol';
import { decodeFunctionResult, encodeFunctionData, parseAbi, size, toBytes, type Hex } from 'viem';
import { toPackedUserOperation } from 'viem/account-abstraction';
import { parseValidationData, type Validity } from './parse-validation-data.js';
import { paymasterUnavailable } from './paymaster-unavailable.js';

const paymasterAbi = parseAbi([
  'struct PackedUserOperation { address sender; uint256 nonce; bytes initCode; bytes callData; bytes32 accountGasLimits; uint256 preVerificationGas; bytes32 gasFees; bytes paymasterAndData; bytes signature; }',
  'function validatePaymasterUserOp(PackedUserOperation userOp, bytes32 userOpHash, uint256 maxCost) returns (bytes context, uint256 validationData)',
]);

/**
 * Ask a paymaster whether it takes an operation, as the entry point will, with the gas that it has then.
 *
 * @returns when it takes it
 * @throws {UpstreamUnavailableError} when it does not, or the node does not answer
 */
export async function judgeValidation(chain: ActiveChain, operation: UserOperation): Promise<Validity> {
  const { rpc, key, chainId, entryPoint, contracts } = chain;
  const data = encodeFunctionData({
    abi: paymasterAbi,
    functionName: 'validatePaymasterUserOp',
    args: [
      toPackedUserOperation(operation),
      userOperationHash(operation, entryPoint, chainId),
      totalGasLimit(operation) * operation.maxFeePerGas,
    ],
  });
  const validity = await rpc
    .call({ account: entryPoint, to: contracts.paymaster, data, gas: gasOf(operation, data) })
    .then((answer) => validityOf(answer.data))
    .catch((error: unknown) => {
      const outage = asUpstreamError(error, `rpc:${key}`);
      if (outage) throw outage;
      return undefined;
    });
  if (validity) return validity;
  throw paymasterUnavailable(chain, 'The paymaster does not take what its service has signed.');
}

// What a transaction costs before it runs, and exactly what the entry point grants: an estimate made with a stub may be
// too low, where the stub does not take the path of what is signed.
function gasOf({ paymasterVerificationGasLimit = 0n }: UserOperation, data: Hex): bigint {
  const zeros = toBytes(data).filter((byte) => byte === 0).length;
  return 21_000n + 16n * BigInt(size(data)) - 12n * BigInt(zeros) + paymasterVerificationGasLimit;
}

function validityOf(data: Hex = '0x'): Validity | undefined {
  const [, validationData] = decodeFunctionResult({
    abi: paymasterAbi,
    functionName: 'validatePaymasterUserOp',
    data,
  });
  return parseValidationData(validationData);
}
