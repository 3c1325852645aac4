import {
  canonical,
  chainFacts,
  circleContracts,
  type ContractAddresses,
  contractAddresses,
  localContracts,
  paymasterAllowanceCaps,
  paymasterPostOpGas,
} from '@yield-vault/contracts';
import type { Address } from 'viem';
import * as z from 'zod';
import { gasLimits, localGasLimits } from './gas-limits.js';
import { baseUnits, chainId, firstProblem, trustedAddress } from './wire-values.js';

const paymaster = z.strictObject({
  kind: z.enum(['own', 'circle', 'erc7677']),
  address: trustedAddress,
  /** Most that it adds to the price of ether, in basis points: bounded by our paymaster's code, promised by others. */
  maxMarkupBps: z.int().min(0),
  /** Gas that it charges on top of the operation's limits. */
  extraGas: baseUnits,
});

/** The paymaster takes USDC for gas. `erc7677` is a service's paymaster; only that service can read its data. */
export type BookPaymaster = Readonly<z.output<typeof paymaster>>;

const deployment = z.strictObject({
  /** Chain key, e.g. `base`. */
  chain: z.string().min(1),
  chainId,
  entryPoint: trustedAddress,
  /** The implementation that wallets delegate to. */
  account: trustedAddress,
  validator: trustedAddress,
  /** Its code fixes the paymaster, the token and the cap of the allowance. */
  executor: trustedAddress,
  paymaster: paymaster.readonly(),
  usdc: trustedAddress,
  /** Largest allowance that the executor grants to the paymaster, in base units of USDC. */
  allowanceCap: baseUnits,
  /** GasPriceOracle of a chain of the OP stack. */
  l1FeeOracle: trustedAddress.optional(),
  /** Limits of gas that replace those of the chain. */
  gasLimits: gasLimits.partial().readonly().optional(),
});

/** One trusted deployment: contracts that belong together on one chain. */
export type BookDeployment = Readonly<z.output<typeof deployment>>;

const token = z.strictObject({
  chainId,
  address: trustedAddress,
  symbol: z.string().regex(/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/, 'is not plain text'),
  decimals: z.int().min(0).max(255),
});

/** The token of a symbol on a chain. Verification compares addresses; it uses this to write amounts. */
export type BookToken = Readonly<z.output<typeof token>>;

const bookSchema = z.strictObject({
  deployments: z.array(deployment.readonly()).readonly(),
  tokens: z.array(token.readonly()).readonly().default([]),
});

/** Everything that a verification trusts. */
export type AddressBook = Readonly<z.output<typeof bookSchema>>;

/** An address book that cannot be trusted: a malformed entry, or a chain with two meanings. */
export class InvalidAddressBookError extends Error {
  override readonly name = 'InvalidAddressBookError';
  readonly code = 'INVALID_ADDRESS_BOOK';
}

type Terms = Omit<BookPaymaster, 'address'>;

/** The terms of our paymaster: its code allows no higher markup. */
const ownPaymasterTerms: Terms = { kind: 'own', maxMarkupBps: 2_000, extraGas: paymasterPostOpGas };

/** The terms that Circle documents for its paymaster. */
export const circlePaymasterTerms: Terms = { kind: 'circle', maxMarkupBps: 1_000, extraGas: 35_000n };

const knownTokens: readonly BookToken[] = ([1, 8453] as const).flatMap((chainId) => [
  { chainId, address: chainFacts(chainId).usdc.address, symbol: 'USDC', decimals: 6 },
  { chainId, address: chainFacts(chainId).wrappedNative.address, symbol: 'WETH', decimals: 18 },
]);

const l1FeeOracles: Readonly<Record<number, Address>> = canonical.l1FeeOracle;

const circleSet = {
  entryPoint: canonical.entryPointV08,
  ...circleContracts,
  paymaster: { ...circlePaymasterTerms, address: circleContracts.paymaster },
} as const;

const circleDeployments: readonly BookDeployment[] = ([8453, 1] as const).map((chainId) => ({
  chain: chainId === 1 ? 'ethereum' : 'base',
  chainId,
  usdc: chainFacts(chainId).usdc.address,
  allowanceCap: paymasterAllowanceCaps[chainId],
  l1FeeOracle: l1FeeOracles[chainId],
  ...circleSet,
}));

/**
 * The default: contract sets with Circle's paymaster. Their addresses follow from their code. Add a deployment with its
 * own paymaster by `extendAddressBook`.
 */
export const agentAddressBook: AddressBook = { deployments: circleDeployments, tokens: knownTokens };

/** The local deployment. The key of its paymaster's owner is public, so use it only on chains without value. */
export const localAddressBook: AddressBook = {
  deployments: [
    localDeployment({ chain: 'base', chainId: 8453 }),
    localDeployment({ chain: 'ethereum', chainId: 1 }),
  ],
  tokens: knownTokens,
};

/**
 * Compute the entry of a deployment with its own paymaster. Every address follows from code and from the paymaster's
 * owner, so the owner is all you have to trust.
 *
 * @param options.paymasterOwner - may change the markup within its bounds, and withdraw the paymaster's earnings
 * @throws {InvalidAddressBookError} when no USDC is known on the chain
 * @example
 * const ours = deriveDeployment({ chain: 'base', chainId: 8453, paymasterOwner });
 * const addressBook = extendAddressBook(agentAddressBook, { deployments: [ours] });
 */
export function deriveDeployment(
  options: Pick<BookDeployment, 'chain' | 'chainId'> & { readonly paymasterOwner: Address },
): BookDeployment {
  const contracts = contractAddresses(8453, { owner: options.paymasterOwner });
  return { ...ownDeployment(options, contracts), l1FeeOracle: l1FeeOracles[options.chainId] };
}

/**
 * Add deployments and tokens to an address book. Each addition is trusted with the wallet's funds.
 *
 * @throws {InvalidAddressBookError} when something is malformed, or a chain key would name two chains
 * @example
 * const book = extendAddressBook(agentAddressBook, { deployments: [ours] });
 */
export function extendAddressBook(book: AddressBook, additions: Partial<AddressBook>): AddressBook {
  const { deployments = [], tokens = [], ...unknown } = additions;
  return parseAddressBook({
    ...unknown,
    deployments: [...book.deployments, ...deployments],
    // The first entry of an address counts, so additions can rename a token.
    tokens: [...tokens, ...book.tokens],
  });
}

/**
 * Read an address book, from JSON or not: amounts are bigint or decimal strings. `tokens` may be absent.
 *
 * @throws {InvalidAddressBookError} when something is malformed or unknown, or a chain key names two chains
 */
export function parseAddressBook(book: unknown): AddressBook {
  const parsed = bookSchema.safeParse(book);
  if (!parsed.success) {
    const { field, detail } = firstProblem(parsed.error);
    throw new InvalidAddressBookError(`address book${field && `: ${field}`}: ${detail}`);
  }
  requireOneMeaning(parsed.data);
  return parsed.data;
}

// Callers name a chain by key or by id. Both must mean the same chain.
function requireOneMeaning({ deployments }: AddressBook): void {
  for (const { chain, chainId } of deployments) {
    const other = deployments.find((one) => (one.chain === chain) !== (one.chainId === chainId));
    if (other) {
      throw new InvalidAddressBookError(
        `address book: chain ${chain} (${chainId}) contradicts chain ${other.chain} (${other.chainId})`,
      );
    }
  }
}

function localDeployment(chain: Pick<BookDeployment, 'chain' | 'chainId'>): BookDeployment {
  return { ...ownDeployment(chain, localContracts(8453)), gasLimits: localGasLimits };
}

function ownDeployment(
  { chain, chainId }: Pick<BookDeployment, 'chain' | 'chainId'>,
  { account, validator, executor, paymaster }: ContractAddresses,
): BookDeployment {
  const usdc = (canonical.usdc as Readonly<Record<number, Address>>)[chainId];
  if (!usdc) throw new InvalidAddressBookError(`address book: no USDC is known on chain ${chainId}`);
  return {
    chain,
    chainId,
    entryPoint: canonical.entryPointV08,
    account,
    validator,
    executor,
    paymaster: { ...ownPaymasterTerms, address: paymaster },
    usdc,
    allowanceCap: (paymasterAllowanceCaps as Readonly<Record<number, bigint>>)[chainId] ?? 0n,
  };
}
