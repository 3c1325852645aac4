import type { SetupTicket } from '@yield-vault/protocol';
import type { InitializeAccountArgs } from '@yield-vault/smart-account';
import { isAddressEqual, type Address } from 'viem';
import { demand } from '../refused.js';
import type { AddressBook, BookDeployment, SetupExpectations } from '../types.js';
import { findDeployment } from './find-deployment.js';

const field = 'setup.initCalldata';

/** Find the trusted deployment that a setup is of. */
export function setupDeployment(
  { chainId, implementation }: SetupTicket,
  { executor }: InitializeAccountArgs,
  book: AddressBook,
): BookDeployment {
  return findDeployment(book, chainId, [
    {
      of: ({ account }) => account,
      address: implementation,
      reason: 'IMPLEMENTATION_MISMATCH',
      field: 'setupTicket.implementation',
    },
    // Executor and paymaster belong together: its code names the paymaster.
    { of: (one) => one.executor, address: executor, reason: 'EXECUTOR_MISMATCH', field },
  ]);
}

/** Check that the account is initialised as the deployment says; its code takes whatever it is given. */
export function requireInit(
  init: InitializeAccountArgs,
  { validator, paymaster, usdc, allowanceCap }: BookDeployment,
  { maxAllowanceUsdc = allowanceCap }: SetupExpectations,
): void {
  const same = (a: Address, b: Address) => isAddressEqual(a, b);
  demand(same(init.validator, validator), 'VALIDATOR_MISMATCH', field, `It installs ${init.validator}.`);
  demand(same(init.token, usdc), 'ASSET_MISMATCH', field, `It allows ${init.token} to be taken.`);
  demand(
    same(init.paymaster, paymaster.address),
    'PAYMASTER_MISMATCH',
    field,
    `It allows ${init.paymaster} to take USDC.`,
  );
  demand(
    init.allowance <= maxAllowanceUsdc,
    'ALLOWANCE_TOO_HIGH',
    field,
    `The paymaster is allowed ${init.allowance}, above ${maxAllowanceUsdc}.`,
  );
}
