import { z } from 'zod';
import { address, hex, quantity } from '../rpc/wire-scalars.js';

const limits = {
  paymasterVerificationGasLimit: quantity.optional(),
  paymasterPostOpGasLimit: quantity.optional(),
};

/** Answers of a paymaster service. Unknown fields are left out: services add their own. */
export const serviceAnswers = {
  stubData: z.object({
    paymaster: address,
    paymasterData: hex.default('0x'),
    ...limits,
    isFinal: z.boolean().default(false),
  }),
  data: z.object({ paymaster: address, paymasterData: hex, ...limits }),
  tokenQuotes: z.object({
    quotes: z.array(
      z.object({ paymaster: address, token: address, exchangeRate: quantity, postOpGas: quantity }),
    ),
  }),
} as const;
