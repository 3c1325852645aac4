import type { SetupBlock } from '@yield-vault/protocol';
import type { InitializeAccountArgs } from '@yield-vault/smart-account';
import type { Address } from 'viem';
import type { Effect } from '../types.js';

/** List what a setup does, in the order in which it happens. */
export function setupEffects(
  authorization: SetupBlock['authorization'],
  { validator, executor, token, paymaster, allowance }: InitializeAccountArgs,
  replaced: Address | undefined,
): readonly Effect[] {
  return [
    ...(authorization
      ? [
          {
            effect: 'delegate' as const,
            implementation: authorization.contractAddress,
            ...(replaced && { replaces: replaced }),
          },
        ]
      : []),
    { effect: 'install', module: 'validator', address: validator },
    { effect: 'install', module: 'executor', address: executor },
    { effect: 'approve-paymaster', token, spender: paymaster, amount: allowance },
  ];
}
