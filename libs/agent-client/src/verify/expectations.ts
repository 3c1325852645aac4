import * as z from 'zod';
import { gasLimits } from './gas-limits.js';
import { baseUnits, chainId, firstProblem, hex, trustedAddress } from '../wire-values.js';

/** Expectations that are incomplete or wrong: a missing minimum, a negative amount, an unknown field. */
export class InvalidExpectationsError extends Error {
  override readonly name = 'InvalidExpectationsError';
  readonly code = 'INVALID_EXPECTATIONS';
}

// A minimum of zero protects nothing; the executor refuses it too.
const minimum = baseUnits.refine((value) => value > 0n, 'is not above zero');

const operation = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('deposit'),
    vault: trustedAddress,
    /** Asset of the vault; USDC by default. */
    asset: trustedAddress.optional(),
    amount: minimum,
    minShares: minimum,
  }),
  z.strictObject({
    kind: z.literal('redeem'),
    vault: trustedAddress,
    /** Asset of the vault; USDC by default. */
    asset: trustedAddress.optional(),
    /** `all` is the whole balance at inclusion; prepare writes 100 % as `all`. */
    shares: z.union([z.literal('all'), minimum, z.strictObject({ atMost: minimum })]),
    minAssets: minimum,
  }),
  z.strictObject({
    kind: z.literal('rebalance'),
    from: trustedAddress,
    /** Vaults that may be the target; any one of them. */
    to: z.union([trustedAddress, z.array(trustedAddress).min(1).readonly()]),
    /** Asset of both vaults; USDC by default. */
    asset: trustedAddress.optional(),
    /** Least that `from` pays. */
    minAssets: minimum,
    /** Least shares of the target. */
    minShares: minimum,
  }),
]);

/** The operation that the agent requested. Amounts are base units. The minimums are the agent's own. */
export type ExpectedOperation = z.output<typeof operation>;

const nonce = z.int().min(0).optional();
const common = {
  wallet: trustedAddress,
  /** Key or id of the chain. */
  chain: z.union([z.string().min(1), chainId]),
  /**
   * The wallet's current code, from your own node; `undefined` or `0x` when it has none. Always give it: it reveals a
   * delegation to another implementation, which would execute an envelope, or which a setup would replace.
   */
  walletCode: hex.optional(),
  /** Highest new allowance or permit of the paymaster, in base units of USDC; the cap of the deployment by default. */
  maxAllowanceUsdc: baseUnits.optional(),
};

const envelopeExpectations = z.strictObject({
  ...common,
  ...gasLimits.partial().shape,
  operation,
  /** Most seconds from now until the intent expires; 900 by default. */
  maxLifetimeSeconds: z.int().positive().optional(),
  /**
   * Sequence of the nonce: `getNonce(wallet, key)` of the entry point, without the key. With it, only one of several
   * intents signed in a row can be included.
   */
  nonceSequence: baseUnits.optional(),
  /** Nonces of what the wallet signed for a gasless setup; an envelope has an authorization or a permit only with them. */
  gaslessSetup: z
    .strictObject({
      /** Of the EIP-7702 authorization: the wallet's transaction count; absent where the wallet delegates already. */
      authorizationNonce: nonce,
      /** Of the permit: `nonces(wallet)` of USDC; absent where the paymaster needs none. */
      permitNonce: baseUnits.optional(),
    })
    .optional(),
});

/** Conditions that an envelope must meet before an agent signs it. Limits of gas replace those of the deployment. */
export type EnvelopeExpectations = Readonly<z.output<typeof envelopeExpectations>>;

const callsExpectations = z.strictObject({
  /** The wallet that sends the calls. */
  wallet: common.wallet,
  chain: common.chain,
  /** A deposit or redeem; `shares` as a number or `atMost`. */
  operation,
});

/** Conditions that plain calls must meet before a wallet sends them. */
export type CallsExpectations = Readonly<z.output<typeof callsExpectations>>;

const setup = {
  ...common,
  /** Whether the setup may replace a delegation to another implementation; false by default. */
  replaceDelegation: z.boolean().optional(),
  /** Default modules of our account that the wallet removed; none by default. */
  removedModules: z
    .array(z.enum(['validator', 'executor']))
    .readonly()
    .optional(),
};

const setupExpectations = z.strictObject({
  ...setup,
  /** Either by default. */
  setupType: z.enum(['full', 'modules']).optional(),
  /**
   * Most that the gas of the transaction may cost, in wei; 0.01 ether by default, and 1 POL on Polygon. A chain of the OP
   * stack adds its L1 fee, which no signature bounds.
   */
  maxFeeWei: baseUnits.optional(),
});

/** Conditions that a setup must meet before an agent signs it. */
export type SetupExpectations = Readonly<z.output<typeof setupExpectations>>;

const gaslessSetupExpectations = z.strictObject({
  ...setup,
  /** The wallet's transaction count; needed for an authorization. */
  authorizationNonce: nonce,
  /** `nonces(wallet)` of USDC; needed for a permit. */
  permitNonce: baseUnits.optional(),
});

/** Conditions that a gasless setup must meet before an agent signs it. */
export type GaslessSetupExpectations = Readonly<z.output<typeof gaslessSetupExpectations>>;

/** Read expectations, from JSON or not: amounts are bigint or decimal strings of base units. */
const parserOf =
  <T>(schema: z.ZodType<T>) =>
  (value: unknown): T => {
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    const { field, detail } = firstProblem(parsed.error);
    throw new InvalidExpectationsError(`expectations${field && `.${field}`}: ${detail}`);
  };

export const parseExpectations = parserOf<EnvelopeExpectations>(envelopeExpectations);
export const parseCallsExpectations = parserOf<CallsExpectations>(callsExpectations);
export const parseSetupExpectations = parserOf<SetupExpectations>(setupExpectations);
export const parseGaslessSetupExpectations = parserOf<GaslessSetupExpectations>(gaslessSetupExpectations);
