import {
  asUpstreamError,
  takesUsdc,
  type ActiveChain,
  type PaymasterData,
  type PaymasterService,
} from '@yield-vault/chains';
import {
  postOpPenaltyThreshold,
  validationProbeAbi,
  validationProbeDeployedBytecode,
} from '@yield-vault/contracts';
import { totalGasLimit, userOperationHash, type UserOperation } from '@yield-vault/protocol';
import {
  decodeFunctionResult,
  encodeFunctionData,
  isAddressEqual,
  maxUint256,
  parseAbi,
  type Address,
  type Hex,
} from 'viem';
import { toPackedUserOperation } from 'viem/account-abstraction';
import { paymasterUnavailable } from '../errors.js';
import type { Paymaster, PaymasterTerms } from './types.js';

const weiPerEther = 10n ** 18n;
const maxUint48 = 2n ** 48n - 1n;
const authorizerBits = 160n;
const paymasterAbi = parseAbi([
  'struct PackedUserOperation { address sender; uint256 nonce; bytes initCode; bytes callData; bytes32 accountGasLimits; uint256 preVerificationGas; bytes32 gasFees; bytes paymasterAndData; bytes signature; }',
  'function validatePaymasterUserOp(PackedUserOperation userOp, bytes32 userOpHash, uint256 maxCost) returns (bytes context, uint256 validationData)',
]);

/**
 * The paymaster of an ERC-7677 service: stub, estimate, final data. The service's data is opaque, so the paymaster
 * contract itself must accept the operation before the wallet signs.
 */
export function servicePaymaster(chain: ActiveChain, service: PaymasterService): Paymaster {
  const requireOurs = <T extends { readonly paymaster: Address }>(response: T): T => {
    if (isAddressEqual(response.paymaster, chain.contracts.paymaster)) return response;
    // The wallet's allowance, and the signer's trust, belong to the configured one.
    throw paymasterUnavailable(chain, 'The service responds for another paymaster than the configured one.');
  };
  return {
    terms: async () => {
      if (!takesUsdc(chain)) return sponsored;
      return quotedTerms(requireOurs(await service.tokenQuote(chain.usdc)));
    },
    stub: async ({ paymasterVerificationGasLimit: _, paymasterPostOpGasLimit: __, ...draft }) => {
      const { isFinal, ...fields } = requireOurs(await service.stubData(draft));
      return { fields, isFinal };
    },
    data: async (operation, { isFinal, fields }, budget) => {
      const data = isFinal ? fields : requireOurs(await service.data(operation));
      requireLimits(chain, operation, data);
      const { paymasterData } = data;
      const { taken, ...validity } = await probeValidation(chain, { ...operation, paymasterData });
      if (taken > budget) throw paymasterUnavailable(chain, 'The service signs for more than it quotes.');
      return { paymasterData, ...validity };
    },
  };
}

const sponsored: PaymasterTerms = {
  validUntil: Infinity,
  operationCeiling: 0n,
  smallestPostOpGas: postOpPenaltyThreshold,
  laterPostOpGas: postOpPenaltyThreshold,
  charge: () => 0n,
};

function quotedTerms({
  exchangeRate,
  postOpGas,
}: Awaited<ReturnType<PaymasterService['tokenQuote']>>): PaymasterTerms {
  return {
    // The quote has no expiry. The signed data has its own, which the probe reads.
    validUntil: Infinity,
    operationCeiling: maxUint256,
    smallestPostOpGas: postOpPenaltyThreshold,
    laterPostOpGas: postOpPenaltyThreshold,
    charge: ({ gas, feePerGas }) => {
      const wei = (gas + postOpGas) * feePerGas;
      return (wei * exchangeRate + weiPerEther - 1n) / weiPerEther;
    },
  };
}

// The limits are part of the estimate and the price: data signed for other limits could only fail.
function requireLimits(chain: ActiveChain, operation: UserOperation, data: PaymasterData): void {
  const names = ['paymasterVerificationGasLimit', 'paymasterPostOpGasLimit'] as const;
  if (names.every((name) => data[name] === undefined || data[name] === operation[name])) return;
  throw paymasterUnavailable(chain, 'The service signs for other gas limits than requested.');
}

/** When an operation is valid, in Unix seconds; `validUntil` may be infinite. */
export interface Validity {
  readonly validUntil: number;
  readonly validAfter: number;
}

interface Validation extends Validity {
  /** Base units of USDC that the paymaster takes before the operation runs. */
  readonly taken: bigint;
}

/**
 * Run a paymaster's validation of an operation as the entry point will, with the same gas.
 *
 * @throws {UpstreamUnavailableError} when the paymaster rejects it, or the node does not respond
 */
async function probeValidation(chain: ActiveChain, operation: UserOperation): Promise<Validation> {
  const { rpc, key, entryPoint } = chain;
  const validation = await rpc
    .call({
      to: entryPoint,
      data: probeCall(chain, operation),
      stateOverride: [{ address: entryPoint, code: validationProbeDeployedBytecode }],
    })
    .then(({ data }) => readValidation(data))
    .catch((error: unknown) => {
      const outage = asUpstreamError(error, `rpc:${key}`);
      if (outage) throw outage;
      return undefined;
    });
  if (validation) return validation;
  throw paymasterUnavailable(chain, 'The paymaster rejects the data that its service signed.');
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
  // The estimate is too low where the stub took another path than the signed data.
  const gasLimit = operation.paymasterVerificationGasLimit ?? 0n;
  return encodeFunctionData({
    abi: validationProbeAbi,
    functionName: 'probe',
    args: [contracts.paymaster, validation, gasLimit, usdc, operation.sender],
  });
}

function readValidation(data: Hex = '0x'): Validation | undefined {
  const [success, returned, taken] = decodeFunctionResult({
    abi: validationProbeAbi,
    functionName: 'probe',
    data,
  });
  if (!success) return undefined;
  const [, validationData] = decodeFunctionResult({
    abi: paymasterAbi,
    functionName: 'validatePaymasterUserOp',
    data: returned,
  });
  const validity = parseValidationData(validationData);
  return validity && { ...validity, taken };
}

/**
 * Parse the validation data of an entry point: `authorizer (160) | validUntil (48) << 160 | validAfter (48) << 208`.
 *
 * @returns `undefined` when it rejects, or requires an aggregator
 */
export function parseValidationData(validationData: bigint): Validity | undefined {
  if (BigInt.asUintN(Number(authorizerBits), validationData) !== 0n) return undefined;
  const validUntil = Number((validationData >> authorizerBits) & maxUint48);
  return {
    validUntil: validUntil === 0 ? Infinity : validUntil,
    validAfter: Number(validationData >> (authorizerBits + 48n)),
  };
}
