import { canonical, localPaymasterOwner, suiteAddresses, type SuiteAddresses } from '@yield-vault/contracts';
import { entryPoints, entryPointVersionOf, type EntryPointVersion } from '@yield-vault/protocol';
import type { Address } from 'viem';
import { z } from 'zod';
import type { ChainConfig } from '../deployment.js';
import { address, json, url } from './scalars.js';

const versions = Object.keys(entryPoints) as EntryPointVersion[];
const known: {
  readonly usdc: Readonly<Record<number, Address>>;
  readonly circlePaymaster: Readonly<Record<EntryPointVersion, Readonly<Record<number, Address>>>>;
} = canonical;

/** Settings of a chain that say through which entry point and paymaster its wallets pay for gas. */
export const gasSettings = {
  entryPoint: address.optional(),
  // YAML reads a version without quotes as a number.
  entryPointVersion: z
    .union([z.string(), z.number().transform(String)], 'must be 0.7 or 0.8')
    .pipe(z.enum(versions, 'must be 0.7 or 0.8'))
    .optional(),
  paymaster: z
    .discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('own') }),
      z.strictObject({ kind: z.literal('circle'), address: address.optional() }),
      z.strictObject({
        kind: z.literal('erc7677'),
        url,
        address: address.optional(),
        context: json.pipe(z.record(z.string(), z.json())).default({}),
      }),
    ])
    .default({ kind: 'own' }),
  contracts: z
    .union(
      [
        z.strictObject({ account: address, validator: address, executor: address, paymaster: address }),
        z.strictObject({ paymasterOwner: address.optional() }),
      ],
      'must be { account, validator, executor, paymaster } or { paymasterOwner }',
    )
    .default({}),
};

type GasSettings = z.output<z.ZodObject<typeof gasSettings>>;
type Refuse = (path: readonly string[], message: string) => void;

/**
 * Work out what follows from the settings: the entry point from its version or the other way round, and the addresses
 * of the suite from the entry point and the paymaster.
 *
 * @param refuse - told what cannot be
 * @returns `undefined` after a refusal
 */
export function resolveGas(
  settings: GasSettings & { readonly chainId: number },
  refuse: Refuse,
): Pick<ChainConfig, 'entryPoint' | 'entryPointVersion' | 'paymaster' | 'contracts'> | undefined {
  const entryPoint = settings.entryPoint ?? entryPoints[settings.entryPointVersion ?? '0.8'];
  const entryPointVersion = entryPointVersionOf(entryPoint) ?? '0.8';
  if (settings.entryPointVersion !== undefined && settings.entryPointVersion !== entryPointVersion) {
    refuse(['entryPointVersion'], `must be ${entryPointVersion}: that is what entryPoint is`);
    return undefined;
  }
  const contracts = resolveContracts({ ...settings, entryPointVersion }, refuse);
  return (
    contracts && { entryPoint, entryPointVersion, paymaster: withoutAddress(settings.paymaster), contracts }
  );
}

function resolveContracts(
  settings: GasSettings & { readonly chainId: number; readonly entryPointVersion: EntryPointVersion },
  refuse: Refuse,
): ChainConfig['contracts'] | undefined {
  const { entryPointVersion, paymaster, contracts } = settings;
  if (paymaster.kind === 'own') {
    if ('account' in contracts) return contracts;
    const { paymasterOwner = localPaymasterOwner } = contracts;
    return { ...suiteAddresses({ entryPointVersion, paymasterOwner }), paymasterOwner };
  }
  const named = 'account' in contracts ? contracts : undefined;
  const address = paymasterOfOthers(settings, named, refuse);
  if (address === undefined) return undefined;
  if (named === undefined) return suiteAddresses({ entryPointVersion, paymaster: address });
  if (named.paymaster === address) return named;
  refuse(['contracts', 'paymaster'], `must be ${address}: that is the paymaster of this chain`);
  return undefined;
}

function paymasterOfOthers(
  { chainId, entryPointVersion, paymaster }: Parameters<typeof resolveContracts>[0],
  named: SuiteAddresses | undefined,
  refuse: Refuse,
): Address | undefined {
  if (paymaster.kind === 'own') return undefined;
  const given = paymaster.address ?? named?.paymaster;
  if (paymaster.kind === 'erc7677' || known.usdc[chainId] === undefined) {
    if (given === undefined)
      refuse(['paymaster', 'address'], 'is required: the contracts approve this paymaster');
    return given;
  }
  const circle = known.circlePaymaster[entryPointVersion][chainId];
  if (circle === undefined) {
    const message = `Circle has none for EntryPoint v${entryPointVersion} on chain id ${chainId}`;
    refuse(['paymaster', 'kind'], message);
    return undefined;
  }
  if (paymaster.address !== undefined && paymaster.address !== circle) {
    refuse(['paymaster', 'address'], `must be ${circle}: that is Circle's on chain id ${chainId}`);
    return undefined;
  }
  return circle;
}

function withoutAddress(paymaster: GasSettings['paymaster']): ChainConfig['paymaster'] {
  if (paymaster.kind !== 'erc7677') return { kind: paymaster.kind };
  const { kind, url, context } = paymaster;
  return { kind, url, context };
}
