import {
  InvalidParametersError,
  TestingCapExceededError,
  WalletNotAllowedError,
  sameHex,
  type FundWalletRequest,
} from '@yield-vault/protocol';
import { getAddress, isAddress } from 'viem';
import type { ForkChain, Funding } from '../types.js';
import { fundingLimits, type TestingLimits } from './funding-limits.js';
import { requireForkChain } from './require-fork-chain.js';

/** What a wallet is to be given, and where. Amounts that were not asked for are 0. */
export interface CheckedFunding extends Required<Funding> {
  readonly chain: ForkChain;
}

/**
 * Check a request for funds against the rules and the caps of the deployment.
 *
 * @throws {InvalidParametersError} when a field is malformed, or neither amount is given
 * @throws {ChainNotActiveError} when the chain is not active
 * @throws {TestingCapExceededError} when an amount is over the cap of one call
 * @throws {WalletNotAllowedError} when only listed wallets are funded and this one is not among them
 */
export function readFunding(
  request: FundWalletRequest,
  chains: readonly ForkChain[],
  limits: TestingLimits,
): CheckedFunding {
  const { chain: key, walletAddress, ethWei, usdcAmount } = request;
  if (ethWei === undefined && usdcAmount === undefined) {
    throw invalid('ethWei', 'At least one of ethWei and usdcAmount is needed.');
  }
  // EIP-55 is not demanded: any 40 digits are an address.
  if (!isAddress(walletAddress, { strict: false })) throw invalid('walletAddress', 'It is no address.');
  const chain = requireForkChain(key, chains);
  const funding = {
    address: getAddress(walletAddress.toLowerCase()),
    ethWei: readAmount('ethWei', ethWei),
    usdcBaseUnits: readAmount('usdcAmount', usdcAmount),
  };
  requireWithin('ethWei', funding.ethWei, limits.maxEthWeiPerCall, limits);
  requireWithin('usdcAmount', funding.usdcBaseUnits, limits.maxUsdcBaseUnitsPerCall, limits);
  if (limits.allowlist && !limits.allowlist.some((allowed) => sameHex(allowed, funding.address))) {
    throw new WalletNotAllowedError({ detail: `The wallet ${funding.address} is not on the allowlist.` });
  }
  return { chain, ...funding };
}

function readAmount(field: string, text: string | undefined): bigint {
  if (text === undefined) return 0n;
  if (!/^\d+$/.test(text)) throw invalid(field, 'It is no whole number of base units.');
  return BigInt(text);
}

function requireWithin(field: string, amount: bigint, cap: bigint, limits: TestingLimits): void {
  if (amount <= cap) return;
  throw new TestingCapExceededError({
    detail: `One call mints at most ${cap} as ${field}.`,
    details: { field, limits: { ...fundingLimits(limits) } },
  });
}

function invalid(field: string, message: string): InvalidParametersError {
  return new InvalidParametersError({ detail: message, details: { violations: [{ field, message }] } });
}
