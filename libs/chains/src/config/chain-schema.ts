import { canonical, localPaymasterOwner, suiteAddresses } from '@yield-vault/contracts';
import type { Address } from 'viem';
import { z } from 'zod';
import type { ChainConfig } from '../deployment.js';
import { forkFactsSchema } from './fork-schema.js';
import { address, positiveInteger, splitAtCommas, url, wholeNumber } from './scalars.js';

const rpcUrls = z
  .array(z.string())
  .min(1, 'must have at least one URL')
  .transform(splitAtCommas)
  .pipe(z.array(url));

const contracts = z.union(
  [
    z.strictObject({ account: address, validator: address, executor: address, paymaster: address }),
    z
      .strictObject({ paymasterOwner: address })
      .transform((owner): ChainConfig['contracts'] => ({ ...suiteAddresses(owner), ...owner })),
  ],
  'must be { account, validator, executor, paymaster } or { paymasterOwner }',
);

const paymasterSchema = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.enum(['own', 'circle']) }),
    z.strictObject({ kind: z.literal('erc7677'), url, context: z.record(z.string(), z.json()).default({}) }),
  ])
  .default({ kind: 'own' });

const localSuite = { ...suiteAddresses(), paymasterOwner: localPaymasterOwner };

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
    entryPoint: address.default(canonical.entryPointV08),
    entryPointVersion: z.literal('0.8').default('0.8'),
    paymaster: paymasterSchema,
    contracts: contracts.optional(),
    usdc: address.optional(),
    logsFromBlock: wholeNumber.optional(),
    fork: forkFactsSchema,
    deadlines: z
      .strictObject({ rpcMs: positiveInteger.default(5_000), bundlerMs: positiveInteger.default(10_000) })
      .prefault({}),
  })
  .transform((chain, context): ChainConfig => {
    const usdc = chain.usdc ?? knownUsdc[chain.chainId];
    if (usdc === undefined) {
      context.addIssue({
        code: 'custom',
        path: ['usdc'],
        message: `is required: the address book has no USDC for chain id ${chain.chainId}`,
      });
      return z.NEVER;
    }
    return { ...chain, usdc, contracts: chain.contracts ?? localSuite };
  });
