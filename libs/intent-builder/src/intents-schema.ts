import { largestAllowanceUsdc, settings } from '@yield-vault/chains';
import { z } from 'zod';

const { baseUnits, positiveInteger, wholeNumber } = settings;

const maxUint48 = 2 ** 48 - 1;

/** Limits of the intents that prepare builds. */
export const intentsSchema = z.strictObject({
  /** Life of an intent. */
  expirySeconds: positiveInteger.default(600),
  /** How long after prepare an intent becomes valid; 0 for at once. */
  validAfterSeconds: wholeNumber.pipe(z.int().max(maxUint48)).default(0),
  /** How much a quote may worsen until inclusion, in basis points. */
  maxSlippageBps: wholeNumber.pipe(z.int().max(9_999)).default(50),
  /** Fewest shares of a deposit, and of a vault that takes deposits, in base units. */
  minShares: positiveInteger.default(1_000).transform(BigInt),
  /** How much a deposit may lose if it were redeemed at once, in basis points. */
  maxRoundTripLossBps: wholeNumber.pipe(z.int().max(9_999)).default(50),
  /** How far the share price of a deposit vault may be from its newest sample, in basis points. */
  maxPriceJumpBps: positiveInteger.default(200),
});

/** The setup of wallets. */
export const setupSchema = z.strictObject({
  ticketLifetimeSeconds: positiveInteger.default(900),
  /**
   * Allowance that a setup gives a paymaster which is paid from one, in base units of USDC. The cap of each chain limits it
   * further.
   */
  paymasterAllowanceUsdc: baseUnits(largestAllowanceUsdc).default(largestAllowanceUsdc),
});

/** Settings of a deployment. */
export type IntentBuilderOptions = Readonly<z.output<typeof intentsSchema> & z.output<typeof setupSchema>>;
