import { decodeErrorResult, parseAbi, slice, type Hex } from 'viem';
import { entryPointV08Abi } from './generated/EntryPointV08.js';
import { intentValidatorAbi } from './generated/IntentValidator.js';
import { usdcPaymasterAbi } from './generated/UsdcPaymaster.js';
import { yieldExecutorAbi } from './generated/YieldExecutor.js';
import { yieldRouterAbi } from './generated/YieldRouter.js';
import { yieldVaultAccountAbi } from './generated/YieldVaultAccount.js';
import { openZeppelinErrors } from './open-zeppelin-errors.js';
import { readable } from './readable.js';
import { vaultErrors } from './vault-errors.js';

const otherErrors = parseAbi([
  // ERC-7751: an error around the error of an inner call.
  'error WrappedError(address target, bytes4 selector, bytes reason, bytes details)',
  // Solady's tokens.
  'error InsufficientBalance()',
  'error InsufficientAllowance()',
  // Circle's paymaster.
  'error PostOpGasLimitTooLow(uint256 postOpGasLimit, uint256 additionalGasCharge)',
  'error MalformedPaymasterData()',
  'error UnsupportedToken(address token)',
]);

const errorsByName = new Map(
  [
    ...yieldVaultAccountAbi,
    ...intentValidatorAbi,
    ...yieldExecutorAbi,
    ...usdcPaymasterAbi,
    ...yieldRouterAbi,
    ...entryPointV08Abi,
    ...openZeppelinErrors,
    ...vaultErrors,
    ...otherErrors,
  ]
    .filter((item) => item.type === 'error')
    .map((item) => [`${item.name}(${item.inputs.map((input) => input.type).join(',')})`, item]),
);
const knownErrors = [...errorsByName.values()];

// Decoding errors that wrap errors takes quadratic time, and the reverting contract chooses their number.
const maxDigits = 8_192;

// Names that callers receive, whatever the token's own error is.
const wellKnown: readonly (readonly [RegExp, string])[] = [
  [
    /^ERC20InsufficientBalance$|^(Address)?InsufficientBalance$|exceeds balance|insufficient[- ]balance/i,
    'INSUFFICIENT_BALANCE',
  ],
  [
    /^ERC20InsufficientAllowance$|^InsufficientAllowance$|exceeds allowance|insufficient[- ]allowance/i,
    'INSUFFICIENT_ALLOWANCE',
  ],
];

/**
 * Name the reason of a revert.
 *
 * @param data - the bytes that the call reverted with
 * @returns `INSUFFICIENT_BALANCE` or `INSUFFICIENT_ALLOWANCE`, else the name of the custom error, the text of a
 *   `require` made `readable`, `PANIC_0x…`, the selector of an unknown error, or `NO_REASON`. An error that wraps another one
 *   gives the inner reason.
 * @example decodeRevertReason('0xe450d38c…') // 'INSUFFICIENT_BALANCE'
 */
export function decodeRevertReason(data: Hex): string {
  if (data === '0x') return 'NO_REASON';
  try {
    // viem also decodes Error(string) and Panic(uint256), which its inferred type leaves out.
    const { errorName, args }: { errorName: string; args?: readonly unknown[] } = decodeErrorResult({
      abi: knownErrors,
      data: data.slice(0, maxDigits) as Hex,
    });
    const [first, second, third] = args ?? [];
    if (errorName === 'Error') return nameOf(String(first));
    if (errorName === 'Panic') return `PANIC_0x${(first as bigint).toString(16)}`;
    if (errorName === 'PostOpReverted') return inner(first, errorName);
    if (errorName === 'WrappedError') return inner(third, errorName);
    if (errorName === 'FailedOp') return readable(String(second));
    if (errorName === 'FailedOpWithRevert') return inner(third, readable(String(second)));
    return nameOf(errorName);
  } catch (error) {
    // Unknown to every ABI here, or its arguments are truncated.
    if (error instanceof Error && 'shortMessage' in error)
      return data.length >= 10 ? slice(data, 0, 4) : 'NO_REASON';
    throw error;
  }
}

function inner(data: unknown, otherwise: string): string {
  return data === '0x' ? otherwise : decodeRevertReason(data as Hex);
}

function nameOf(reason: string): string {
  return wellKnown.find(([pattern]) => pattern.test(reason))?.[1] ?? readable(reason);
}
