import { canonical, paymasterAllowanceCap, type SuiteAddresses } from '@yield-vault/contracts';
import { entryPoints, type EntryPointVersion } from '@yield-vault/protocol';
import type { Address } from 'viem';
import { InvalidAddressBookError } from '../errors.js';
import type { BookDeployment } from '../types.js';
import { ownPaymasterTerms } from './paymaster-terms.js';

/** Where a suite is deployed. */
export interface DeploymentPlace {
  /** Chain key, e.g. `base`. */
  readonly chain: string;
  readonly chainId: number;
  /** `0.8` unless given. */
  readonly entryPointVersion?: EntryPointVersion;
}

/**
 * Write down a suite with a paymaster of its own.
 *
 * @throws {InvalidAddressBookError} when no USDC is known on the chain
 */
export function ownDeployment(
  { chain, chainId, entryPointVersion = '0.8' }: DeploymentPlace,
  { account, validator, executor, paymaster }: SuiteAddresses,
): BookDeployment {
  const usdc = (canonical.usdc as Readonly<Record<number, Address>>)[chainId];
  if (!usdc) throw new InvalidAddressBookError(`address book: no USDC is known on chain ${chainId}`);
  return {
    chain,
    chainId,
    entryPoint: entryPoints[entryPointVersion],
    account,
    validator,
    executor,
    paymaster: { ...ownPaymasterTerms, address: paymaster },
    usdc,
    allowanceCap: paymasterAllowanceCap,
  };
}
