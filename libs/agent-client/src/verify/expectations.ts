import type { SetupType } from '@yield-vault/protocol';
import type { ModuleType } from '@yield-vault/smart-account';
import type { Address, Hex } from 'viem';
import * as z from 'zod';
import { address, baseUnits, bytes, chainId, firstProblem } from './wire-values.js';

/** The operation that the agent requested. Amounts are base units. The minimums are the agent's own. */
export type ExpectedOperation =
  | {
      readonly kind: 'deposit';
      readonly vault: Address;
      /** Asset of the vault; USDC by default. */
      readonly asset?: Address;
      readonly amount: bigint;
      readonly minShares: bigint;
    }
  | {
      readonly kind: 'redeem';
      readonly vault: Address;
      /** Asset of the vault; USDC by default. */
      readonly asset?: Address;
      /** `all` is the whole balance at inclusion; prepare writes 100 % as `all`. */
      readonly shares: bigint | 'all' | { readonly atMost: bigint };
      readonly minAssets: bigint;
    }
  | {
      readonly kind: 'rebalance';
      readonly from: Address;
      /** Vaults that may be the target; any one of them. */
      readonly to: Address | readonly Address[];
      /** Asset of both vaults; USDC by default. */
      readonly asset?: Address;
      /** Least that `from` pays. */
      readonly minAssets: bigint;
      /** Least shares of the target. */
      readonly minShares: bigint;
    };

/** Conditions that an envelope must meet before an agent signs it. */
export interface EnvelopeExpectations {
  readonly wallet: Address;
  /** Key or id of the chain. */
  readonly chain: string | number;
  readonly operation: ExpectedOperation;
  /**
   * The wallet's current code, from your own node. It tells which account of the address book executes the envelope. Without
   * it, a new allowance may be for any paymaster of the entry point, and the effects list them all.
   */
  readonly walletCode?: Hex | undefined;
  /** Most USDC that gas may cost, in base units. */
  readonly maxGasUsdc: bigint;
  /** Upper bound of the price of one ether in US dollars, to read gas as USDC; 10,000 by default. */
  readonly maxEthUsd?: number;
  /** Highest new allowance or permit of the paymaster, in base units of USDC; the executor's cap by default. */
  readonly maxAllowanceUsdc?: bigint;
  /** Most seconds from now until the intent expires; 900 by default. */
  readonly maxLifetimeSeconds?: number;
  /**
   * Sequence of the nonce: `getNonce(wallet, key)` of the entry point, without the key. With it, only one of several
   * intents signed in a row can be included.
   */
  readonly nonceSequence?: bigint;
  /** Nonces of what the wallet signed for a gasless setup; an envelope has an authorization or a permit only with them. */
  readonly gaslessSetup?: {
    /** Of the EIP-7702 authorization: the wallet's transaction count; absent where the wallet delegates already. */
    readonly authorizationNonce?: number;
    /** Of the permit: `nonces(wallet)` of USDC. */
    readonly permitNonce: bigint;
  };
}

/** Conditions that a setup must meet before an agent signs it. */
export interface SetupExpectations {
  readonly wallet: Address;
  /** Key or id of the chain. */
  readonly chain: string | number;
  /** Either by default. */
  readonly setupType?: SetupType;
  /**
   * The wallet's current code, from your own node; `undefined` or `0x` when it has none. Always give it: it reveals a
   * delegation to another implementation that the setup would replace.
   */
  readonly walletCode?: Hex | undefined;
  /** Whether the setup may replace a delegation to another implementation; false by default. */
  readonly replaceDelegation?: boolean;
  /**
   * Most that the gas of the transaction may cost, in wei; 0.01 ether by default. A chain of the OP stack adds its L1
   * fee, which no signature bounds.
   */
  readonly maxFeeWei?: bigint;
  /** Highest allowance of the paymaster, in base units of USDC; the executor's cap by default. */
  readonly maxAllowanceUsdc?: bigint;
}

/** Conditions that a gasless setup must meet before an agent signs it. */
export interface GaslessSetupExpectations extends Omit<SetupExpectations, 'setupType' | 'maxFeeWei'> {
  /** The wallet's transaction count; needed for an authorization. */
  readonly authorizationNonce?: number;
  /** `nonces(wallet)` of USDC. */
  readonly permitNonce: bigint;
  /** Default modules of our account that the wallet removed; none by default. */
  readonly removedModules?: readonly ModuleType[];
}

/** Expectations that are incomplete or wrong: a missing minimum, a negative amount, an unknown field. */
export class InvalidExpectationsError extends Error {
  override readonly name = 'InvalidExpectationsError';
  readonly code = 'INVALID_EXPECTATIONS';
}

// A minimum of zero protects nothing; the executor refuses it too.
const minimum = baseUnits.refine((value) => value > 0n, 'is not above zero');
const asset = address.optional();

const operation = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('deposit'), vault: address, asset, amount: minimum, minShares: minimum }),
  z.strictObject({
    kind: z.literal('redeem'),
    vault: address,
    asset,
    shares: z.union([z.literal('all'), minimum, z.strictObject({ atMost: minimum })]),
    minAssets: minimum,
  }),
  z.strictObject({
    kind: z.literal('rebalance'),
    from: address,
    to: z.union([address, z.array(address).min(1).readonly()]),
    asset,
    minAssets: minimum,
    minShares: minimum,
  }),
]) satisfies z.ZodType<ExpectedOperation>;

const common = {
  wallet: address,
  chain: z.union([z.string().min(1), chainId]),
  walletCode: bytes.optional(),
  maxAllowanceUsdc: baseUnits.optional(),
};

const envelopeExpectations = z.strictObject({
  ...common,
  operation,
  maxGasUsdc: baseUnits,
  maxEthUsd: z.number().positive().max(1e9).optional(),
  maxLifetimeSeconds: z.int().positive().optional(),
  nonceSequence: baseUnits.optional(),
  gaslessSetup: z
    .strictObject({ authorizationNonce: z.int().min(0).optional(), permitNonce: baseUnits })
    .optional(),
}) satisfies z.ZodType<EnvelopeExpectations>;

const replaceDelegation = z.boolean().optional();

const setupExpectations = z.strictObject({
  ...common,
  setupType: z.enum(['full', 'modules']).optional(),
  replaceDelegation,
  maxFeeWei: baseUnits.optional(),
}) satisfies z.ZodType<SetupExpectations>;

const moduleType = z.enum(['validator', 'executor']);
const gaslessSetupExpectations = z.strictObject({
  ...common,
  replaceDelegation,
  authorizationNonce: z.int().min(0).optional(),
  permitNonce: baseUnits,
  removedModules: z.array(moduleType).readonly().optional(),
}) satisfies z.ZodType<GaslessSetupExpectations>;

/**
 * Read expectations of an envelope, from JSON or not: amounts are bigint or decimal strings of base units.
 *
 * @throws {InvalidExpectationsError} when something is missing, malformed or unknown
 */
export function parseExpectations(expectations: unknown): EnvelopeExpectations {
  return parse(envelopeExpectations, expectations);
}

/**
 * Read expectations of a setup, from JSON or not: amounts are bigint or decimal strings of base units.
 *
 * @throws {InvalidExpectationsError} when something is missing, malformed or unknown
 */
export function parseSetupExpectations(expectations: unknown): SetupExpectations {
  return parse(setupExpectations, expectations);
}

/**
 * Read expectations of a gasless setup, from JSON or not: amounts are bigint or decimal strings of base units.
 *
 * @throws {InvalidExpectationsError} when something is missing, malformed or unknown
 */
export function parseGaslessSetupExpectations(expectations: unknown): GaslessSetupExpectations {
  return parse(gaslessSetupExpectations, expectations);
}

function parse<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { field, detail } = firstProblem(parsed.error);
  throw new InvalidExpectationsError(`expectations${field && `.${field}`}: ${detail}`);
}
