import { canonical } from '@yield-vault/contracts';
import { sameHex } from '@yield-vault/protocol';
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
    if (usdc && gas && !paysInUsdc(gas.paymaster, usdc)) {
      refuse(['paymaster', 'context', 'token'], `must be ${usdc}: wallets pay in USDC alone`);
    }
    return usdc && gas ? { ...chain, ...gas, usdc } : z.NEVER;
  });

function paysInUsdc(paymaster: ChainConfig['paymaster'], usdc: Address): boolean {
  const token = paymaster.kind === 'erc7677' ? paymaster.context['token'] : undefined;
  return token === undefined || (typeof token === 'string' && sameHex(token, usdc));
}
