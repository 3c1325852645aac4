import {
  canonical,
  chainFacts,
  knownChains,
  localPaymasterOwner,
  paymasterDeployment,
  paymasterPostOpGas,
  walletContracts,
  type ChainFacts,
  type PaymasterRoles,
} from '@yield-vault/contracts';
import * as z from 'zod';
import { gasLimits, localGasLimits } from './gas-limits.js';
import { baseUnits, chainId, firstProblem, trustedAddress } from '../wire-values.js';

const paymaster = z.strictObject({
  kind: z.enum(['own', 'circle', 'erc7677']),
  address: trustedAddress,
  /** Most that it adds to the price of ether, in basis points: bounded by our paymaster's code, promised by others. */
  maxMarkupBps: z.int().min(0),
  /** Gas that it charges on top of the operation's limits. */
  extraGas: baseUnits,
});

/**
 * The paymaster takes USDC for gas: `own` from a grant that each operation signs, all others from an allowance. `erc7677` is a
 * service's paymaster; only that service can read its data.
 */
export type BookPaymaster = Readonly<z.output<typeof paymaster>>;

const deployment = z.strictObject({
  /** Chain key, e.g. `base`. */
  chain: z.string().min(1),
  chainId,
  entryPoint: trustedAddress,
  /** The implementation that wallets delegate to. */
  account: trustedAddress,
  validator: trustedAddress,
  executor: trustedAddress,
  /** Enforces the minimum of plain calls. */
  router: trustedAddress,
  paymaster: paymaster.readonly(),
  usdc: trustedAddress,
  /** Largest allowance of a paymaster that needs one, in base units of USDC. */
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

const knownTokens: readonly BookToken[] = knownChains.flatMap(({ chainId, usdc, wrappedNative, tokens }) =>
  [usdc, wrappedNative, ...tokens].map(({ address, symbol, decimals }) => ({
    chainId,
    address,
    symbol,
    decimals,
  })),
);

/**
 * The default: every known chain with Circle's paymaster. All other addresses follow from code, and are the same on every
 * chain. Add a deployment with its own paymaster by `extendAddressBook`.
 */
export const agentAddressBook: AddressBook = {
  deployments: knownChains.flatMap((facts) =>
    facts.circlePaymaster
      ? [deploymentOf(facts, { ...circlePaymasterTerms, address: facts.circlePaymaster })]
      : [],
  ),
  tokens: knownTokens,
};

/** The local deployments. The key of their paymasters' owner is public, so use it only on chains without value. */
export const localAddressBook: AddressBook = {
  deployments: knownChains.map((facts) => ({
    ...ownDeployment(facts, { owner: localPaymasterOwner }),
    // A local chain has no L1.
    l1FeeOracle: undefined,
    gasLimits: localGasLimits,
  })),
  tokens: knownTokens,
};

/**
 * Compute the entry of a deployment with its own paymaster. Every address follows from code, and the paymaster's from its
 * roles too, so the roles are all you have to trust.
 *
 * @param roles - the owner may change the markup within its bounds, and withdraw the paymaster's earnings; the pauser, by
 *   default the owner, may stop it
 * @throws {UnsupportedChainError} when this package does not know the chain
 * @example
 * const ours = deriveDeployment(8453, { owner, pauser });
 * const addressBook = extendAddressBook(agentAddressBook, { deployments: [ours] });
 */
export function deriveDeployment(chainId: number, roles: PaymasterRoles): BookDeployment {
  return ownDeployment(chainFacts(chainId), roles);
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

function ownDeployment(facts: ChainFacts, roles: PaymasterRoles): BookDeployment {
  return deploymentOf(facts, { ...ownPaymasterTerms, address: paymasterDeployment(facts, roles).address });
}

function deploymentOf(
  { key: chain, chainId, usdc, allowanceCap, l1FeeOracle }: ChainFacts,
  paymaster: BookPaymaster,
): BookDeployment {
  const { account, validator, executor, router } = walletContracts;
  return {
    chain,
    chainId,
    entryPoint: canonical.entryPointV08,
    account,
    validator,
    executor,
    router,
    paymaster,
    usdc: usdc.address,
    allowanceCap,
    l1FeeOracle,
  };
}
