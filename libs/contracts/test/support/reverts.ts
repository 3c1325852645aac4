import {
  type Address,
  type Hex,
  BaseError,
  decodeErrorResult,
  encodeFunctionData,
  numberToHex,
  parseAbi,
} from 'viem';
import { entryPointV08Abi } from '../../src/generated/EntryPointV08.js';
import { intentValidatorAbi } from '../../src/generated/IntentValidator.js';
import { usdcPaymasterAbi } from '../../src/generated/UsdcPaymaster.js';
import { yieldExecutorAbi } from '../../src/generated/YieldExecutor.js';
import { yieldRouterAbi } from '../../src/generated/YieldRouter.js';
import { yieldVaultAccountAbi } from '../../src/generated/YieldVaultAccount.js';
import { bareModuleAbi } from '../generated/BareModule.js';
import { mockVaultAbi } from '../generated/MockVault.js';
import { hostileVaultAbi } from '../generated/HostileVault.js';
import type { PackedUserOperation } from './account.js';
import { type TestChain, entryPoint, operator } from './chain.js';

const errors = [
  ...yieldVaultAccountAbi,
  ...intentValidatorAbi,
  ...yieldExecutorAbi,
  ...usdcPaymasterAbi,
  ...yieldRouterAbi,
  ...entryPointV08Abi,
  ...bareModuleAbi,
  ...hostileVaultAbi,
  ...mockVaultAbi,
  ...parseAbi([
    'error UnsupportedChain(uint256 chainId)',
    // The paymasters of Circle and of services.
    'error PostOpGasLimitTooLow(uint256 postOpGasLimit, uint256 additionalGasCharge)',
    'error MalformedPaymasterData()',
    'error UnsupportedToken(address token)',
    // Of accounts of others.
    'error ECDSAInvalidSignatureLength(uint256 length)',
  ]),
].filter(({ type }) => type === 'error');

/** Name and arguments of a revert, flat: `['MinSharesNotMet', 2n, 1n]`. Empty data is `[]`. */
export function decodeRevert(data: Hex): readonly unknown[] {
  if (data === '0x') return [];
  const { errorName, args } = decodeErrorResult({ abi: errors, data }) as {
    errorName: string;
    args?: readonly unknown[];
  };
  if (errorName === 'FailedOpWithRevert') return [args?.[1], ...decodeRevert(args?.[2] as Hex)];
  if (errorName === 'FailedOp') return [args?.[1]];
  return [errorName, ...(args ?? [])];
}

/** Call without sending, and decode the revert. Fails when the call succeeds. */
export async function revertOf(
  chain: TestChain,
  call: { from?: Address; to?: Address; data: Hex; value?: bigint; gas?: bigint },
): Promise<readonly unknown[]> {
  let result: Hex;
  try {
    result = (await chain.client.request({
      method: 'eth_call',
      params: [
        {
          ...call,
          from: call.from ?? operator.address,
          value: numberToHex(call.value ?? 0n),
          gas: numberToHex(call.gas ?? 10_000_000n),
        },
        'latest',
      ],
    })) as Hex;
  } catch (error) {
    if (!(error instanceof BaseError)) throw error;
    const cause = error.walk((inner) => typeof (inner as { data?: unknown }).data === 'string');
    if (!cause) throw error;
    return decodeRevert((cause as unknown as { data: Hex }).data);
  }
  throw new Error(`the call did not revert, it returned ${result}`);
}

export const handleOpsRevert = (chain: TestChain, ...userOps: readonly PackedUserOperation[]) =>
  revertOf(chain, {
    to: entryPoint,
    data: encodeFunctionData({
      abi: entryPointV08Abi,
      functionName: 'handleOps',
      args: [userOps, operator.address],
    }),
  });
