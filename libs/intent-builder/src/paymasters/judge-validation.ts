import { asUpstreamError, type ActiveChain } from '@yield-vault/chains';
import { validationProbeAbi, validationProbeDeployedBytecode } from '@yield-vault/contracts';
import { totalGasLimit, userOperationHash, type UserOperation } from '@yield-vault/protocol';
import { decodeFunctionResult, encodeFunctionData, parseAbi, type Hex } from 'viem';
import { toPackedUserOperation } from 'viem/account-abstraction';
import { parseValidationData, type Validity } from './parse-validation-data.js';
import { paymasterUnavailable } from './paymaster-unavailable.js';

const paymasterAbi = parseAbi([
  'struct PackedUserOperation { address sender; uint256 nonce; bytes initCode; bytes callData; bytes32 accountGasLimits; uint256 preVerificationGas; bytes32 gasFees; bytes paymasterAndData; bytes signature; }',
  'function validatePaymasterUserOp(PackedUserOperation userOp, bytes32 userOpHash, uint256 maxCost) returns (bytes context, uint256 validationData)',
]);

/** What a paymaster says to an operation. */
export interface Judgement extends Validity {
  /** Base units of USDC that it takes before the operation runs. */
  readonly taken: bigint;
}

/**
 * Ask a paymaster whether it takes an operation, as the entry point will, with the gas that it has then.
 *
 * @throws {UpstreamUnavailableError} when it does not, or the node does not answer
 */
export async function judgeValidation(chain: ActiveChain, operation: UserOperation): Promise<Judgement> {
  const { rpc, key, entryPoint } = chain;
  const judgement = await rpc
    .call({
      to: entryPoint,
      data: probeCall(chain, operation),
      stateOverride: [{ address: entryPoint, code: validationProbeDeployedBytecode }],
    })
    .then(({ data }) => judgementOf(data))
    .catch((error: unknown) => {
      const outage = asUpstreamError(error, `rpc:${key}`);
      if (outage) throw outage;
      return undefined;
    });
  if (judgement) return judgement;
  throw paymasterUnavailable(chain, 'The paymaster does not take what its service has signed.');
}

function probeCall({ chainId, entryPoint, contracts, usdc }: ActiveChain, operation: UserOperation): Hex {
  const validation = encodeFunctionData({
    abi: paymasterAbi,
    functionName: 'validatePaymasterUserOp',
    args: [
      toPackedUserOperation(operation),
      userOperationHash(operation, entryPoint, chainId),
      totalGasLimit(operation) * operation.maxFeePerGas,
    ],
  });
  // An estimate made with a stub is too low where the stub does not take the path of what is signed.
  const gasLimit = operation.paymasterVerificationGasLimit ?? 0n;
  return encodeFunctionData({
    abi: validationProbeAbi,
    functionName: 'probe',
    args: [contracts.paymaster, validation, gasLimit, usdc, operation.sender],
  });
}

function judgementOf(data: Hex = '0x'): Judgement | undefined {
  const [success, answer, taken] = decodeFunctionResult({
    abi: validationProbeAbi,
    functionName: 'probe',
    data,
  });
  if (!success) return undefined;
  const [, validationData] = decodeFunctionResult({
    abi: paymasterAbi,
    functionName: 'validatePaymasterUserOp',
    data: answer,
  });
  const validity = parseValidationData(validationData);
  return validity && { ...validity, taken };
}
