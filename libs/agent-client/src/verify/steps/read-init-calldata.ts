import { yieldVaultAccountAbi } from '@yield-vault/contracts';
import { encodeInitializeAccount, type InitializeAccountArgs } from '@yield-vault/smart-account';
import { decodeFunctionData, type Hex } from 'viem';
import { refuse } from '../refused.js';

/** Read the call data of a setup: one call of `initializeAccount` in its one encoding. */
export function readInitCalldata(data: Hex): InitializeAccountArgs {
  const args = decode(data);
  if (args && encodeInitializeAccount(args).toLowerCase() === data.toLowerCase()) return args;
  return refuse(
    'CALLDATA_NOT_ALLOWED',
    'setup.initCalldata',
    'It does not initialise the account, and only that.',
  );
}

function decode(data: Hex): InitializeAccountArgs | undefined {
  try {
    const call = decodeFunctionData({ abi: yieldVaultAccountAbi, data });
    if (call.functionName !== 'initializeAccount') return undefined;
    const [validator, executor, token, paymaster, allowance] = call.args;
    return { validator, executor, token, paymaster, allowance };
  } catch {
    // Whatever does not decode does not initialise the account.
    return undefined;
  }
}
