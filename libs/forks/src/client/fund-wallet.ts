import {
  ChainNotActiveError,
  invalidParameters,
  TestingCapExceededError,
  WalletNotAllowedError,
  sameHex,
  type FundingLimits,
  type FundWalletRequest,
  type FundWalletResponse,
  type Environment,
} from '@yield-vault/protocol';
import { getAddress, isAddress, type Address } from 'viem';
import type { Balances, ForkChain, Funding } from '../types.js';

/** Limits of the testing tools. */
export interface TestingLimits {
  readonly maxEthWeiPerCall: bigint;
  readonly maxUsdcBaseUnitsPerCall: bigint;
  /** Wallets that may be funded; `null` for every wallet. */
  readonly allowlist: readonly Address[] | null;
}

/** Write the caps as the interface shows them. */
export function fundingLimits(limits: TestingLimits): FundingLimits {
  return {
    maxEthWeiPerCall: limits.maxEthWeiPerCall.toString(),
    maxUsdcBaseUnitsPerCall: limits.maxUsdcBaseUnitsPerCall.toString(),
  };
}

/** A checked request. Absent amounts are 0. */
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
    throw invalidParameters([{ field: 'ethWei', message: 'or usdcAmount is needed, or both' }]);
  }
  // A checksum is not required.
  if (!isAddress(walletAddress, { strict: false }))
    throw invalidParameters([{ field: 'walletAddress', message: 'must be an address' }]);
  const chain = chains.find((one) => one.key === key);
  if (!chain) {
    throw new ChainNotActiveError({
      detail: `The chain ${JSON.stringify(key)} is not active on this deployment.`,
      details: { supportedChains: chains.map((one) => one.key) },
    });
  }
  const funding = {
    address: getAddress(walletAddress.toLowerCase()),
    ethWei: readAmount('ethWei', ethWei, limits.maxEthWeiPerCall, limits),
    usdcBaseUnits: readAmount('usdcAmount', usdcAmount, limits.maxUsdcBaseUnitsPerCall, limits),
  };
  if (limits.allowlist && !limits.allowlist.some((allowed) => sameHex(allowed, funding.address))) {
    throw new WalletNotAllowedError({ detail: `The wallet ${funding.address} is not on the allowlist.` });
  }
  return { chain, ...funding };
}

function readAmount(field: string, text: string | undefined, cap: bigint, limits: TestingLimits): bigint {
  if (text === undefined) return 0n;
  if (!/^\d+$/.test(text))
    throw invalidParameters([{ field, message: 'must be a whole number of base units' }]);
  const amount = BigInt(text);
  if (amount <= cap) return amount;
  throw new TestingCapExceededError({
    detail: `One call mints at most ${cap} as ${field}.`,
    details: { field, limits: { ...fundingLimits(limits) } },
  });
}

/** Build the response: the requested amounts and the new balances. */
export function buildFundWalletResponse(
  { chain, address, ethWei, usdcBaseUnits }: CheckedFunding,
  balances: Balances,
  facts: { readonly environment: Environment; readonly forkId: string; readonly limits: TestingLimits },
): FundWalletResponse {
  return {
    success: true,
    environment: facts.environment,
    chain: chain.key,
    chainId: chain.chainId,
    walletAddress: address,
    forkId: facts.forkId,
    funded: {
      eth: {
        requestedAmountWei: ethWei.toString(),
        resultingBalanceWei: balances.ethWei.toString(),
      },
      usdc: {
        tokenAddress: chain.usdc.address,
        requestedAmountBaseUnits: usdcBaseUnits.toString(),
        resultingBalanceBaseUnits: balances.usdcBaseUnits.toString(),
      },
    },
    limits: fundingLimits(facts.limits),
    allowlistEnforced: facts.limits.allowlist !== null,
  };
}
