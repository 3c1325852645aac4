import {
  canonical,
  localPaymasterOwner,
  contractAddresses,
  type ContractAddresses,
} from '@yield-vault/contracts';
import type { Json } from '@yield-vault/protocol';
import type { Address } from 'viem';
import { z } from 'zod';
import { address, json, url } from './scalars.js';

const known: {
  readonly usdc: Readonly<Record<number, Address>>;
  readonly circlePaymaster: Readonly<Record<number, Address>>;
} = canonical;

/** Settings of a chain that say through which paymaster its wallets pay for gas. */
export const gasSettings = {
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

/**
 * How gas is paid in USDC. `own`: by our paymaster, from an allowance. `circle`: by Circle's paymaster, from an allowance.
 * `erc7677`: a service signs for its paymaster, and the allowance goes to that paymaster.
 */
export type PaymasterConfig =
  | { readonly kind: 'own' | 'circle' }
  | {
      readonly kind: 'erc7677';
      /** May carry a credential: never shown. */
      readonly url: string;
      /** Sent to the service unchanged. */
      readonly context: Readonly<Record<string, Json>>;
    };

/** The addresses that wallets of a chain use. A paymaster with a known owner can be deployed onto a fork. */
type ChainContracts = ContractAddresses & { readonly paymasterOwner?: Address };

type GasSettings = z.output<z.ZodObject<typeof gasSettings>>;
type Refuse = (path: readonly string[], message: string) => void;

/**
 * Derive the addresses of the contracts from the paymaster.
 *
 * @param refuse - receives each problem
 * @returns `undefined` after a refusal
 */
export function resolveGas(settings: GasSettings & { readonly chainId: number }, refuse: Refuse) {
  const contracts = resolveContracts(settings, refuse);
  return (
    contracts && {
      entryPoint: canonical.entryPointV08 as Address,
      paymaster: withoutAddress(settings.paymaster),
      contracts,
    }
  );
}

function resolveContracts(
  settings: GasSettings & { readonly chainId: number },
  refuse: Refuse,
): ChainContracts | undefined {
  const { paymaster, contracts } = settings;
  if (paymaster.kind === 'own') {
    if ('account' in contracts) return contracts;
    const { paymasterOwner = localPaymasterOwner } = contracts;
    return { ...contractAddresses({ paymasterOwner }), paymasterOwner };
  }
  const named = 'account' in contracts ? contracts : undefined;
  const address = paymasterOfOthers(settings, named, refuse);
  if (address === undefined) return undefined;
  if (named === undefined) return contractAddresses({ paymaster: address });
  if (named.paymaster === address) return named;
  refuse(['contracts', 'paymaster'], `must be ${address}: that is the paymaster of this chain`);
  return undefined;
}

function paymasterOfOthers(
  { chainId, paymaster }: Parameters<typeof resolveContracts>[0],
  named: ContractAddresses | undefined,
  refuse: Refuse,
): Address | undefined {
  if (paymaster.kind === 'own') return undefined;
  const given = paymaster.address ?? named?.paymaster;
  if (paymaster.kind === 'erc7677' || known.usdc[chainId] === undefined) {
    if (given === undefined)
      refuse(['paymaster', 'address'], 'is required: the contracts approve this paymaster');
    return given;
  }
  const circle = known.circlePaymaster[chainId];
  if (paymaster.address !== undefined && paymaster.address !== circle) {
    refuse(['paymaster', 'address'], `must be ${circle}: that is Circle's on chain id ${chainId}`);
    return undefined;
  }
  return circle;
}

function withoutAddress(paymaster: GasSettings['paymaster']): PaymasterConfig {
  if (paymaster.kind !== 'erc7677') return { kind: paymaster.kind };
  const { kind, url, context } = paymaster;
  return { kind, url, context };
}
