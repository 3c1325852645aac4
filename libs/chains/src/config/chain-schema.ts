import { canonical } from '@yield-vault/contracts';
import type { Address } from 'viem';
import { z } from 'zod';
import type { ChainConfig } from '../deployment.js';
import { forkFactsSchema } from './fork-schema.js';
import { gasSettings, resolveGas } from './gas-schema.js';
import { address, positiveInteger, splitAtCommas, url, wholeNumber } from './scalars.js';

const rpcUrls = z
  .array(z.string())
  .min(1, 'must have at least one URL')
  .transform(splitAtCommas)
  .pipe(z.array(url));

const knownUsdc: Readonly<Record<number, Address>> = canonical.usdc;

/** One entry of `chains`. Addresses that are left out come from the address book. */
export const chainSchema = z
  .strictObject({
    chainId: positiveInteger,
    name: z.string().min(1),
    relayMode: z.enum(['chain', 'managed-fork']).default('chain'),
    rpcUrls,
    bundlerUrl: url.nullable().default(null),
    explorerUrl: url,
    ...gasSettings,
    usdc: address.optional(),
    logsFromBlock: wholeNumber.optional(),
    fork: forkFactsSchema,
    deadlines: z
      .strictObject({ rpcMs: positiveInteger.default(5_000), bundlerMs: positiveInteger.default(10_000) })
      .prefault({}),
  })
  .transform((chain, context): ChainConfig => {
    const refuse = (path: readonly string[], message: string) =>
      context.addIssue({ code: 'custom', path: [...path], message });
    const usdc = chain.usdc ?? knownUsdc[chain.chainId];
    const gas = resolveGas(chain, refuse);
    if (usdc === undefined) {
      refuse(['usdc'], `is required: the address book has no USDC for chain id ${chain.chainId}`);
    }
    return usdc && gas ? { ...chain, ...gas, usdc } : z.NEVER;
  });
