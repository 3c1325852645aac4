import {
  canonical,
  contractAddresses,
  findChainFacts,
  localPaymasterOwner,
  walletContracts,
  type ContractAddresses,
  type PaymasterRoles,
} from '@yield-vault/contracts';
import type { Json } from '@yield-vault/protocol';
import type { Address } from 'viem';
import { z } from 'zod';
import { address, json, url } from './scalars.js';

/** The address of our paymaster follows from its owner and pauser. Other kinds ignore them, so that one file serves all. */
const roles = { owner: address.optional(), pauser: address.optional() };

/** Settings of a chain that say through which paymaster its wallets pay for gas. */
export const gasSettings = {
  paymaster: z
    .discriminatedUnion('kind', [
      // `address` names a deployment of our paymaster that does not follow from its roles.
      z.strictObject({ kind: z.literal('own'), ...roles, address: address.optional() }),
      z.strictObject({ kind: z.literal('circle'), ...roles, address: address.optional() }),
      z.strictObject({
        kind: z.literal('erc7677'),
        ...roles,
        url,
        address,
        context: json.pipe(z.record(z.string(), z.json())).default({}),
      }),
    ])
    .default({ kind: 'own' }),
};

/**
 * How gas is paid in USDC. `own`: our paymaster asks the account. `circle`: Circle's paymaster takes it from an allowance.
 * `erc7677`: a service signs for its paymaster, which takes it from an allowance.
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

/** The addresses that wallets of a chain use. A paymaster with known roles can be deployed onto a fork. */
type ChainContracts = ContractAddresses & { readonly paymasterRoles?: PaymasterRoles };

type GasSettings = z.output<z.ZodObject<typeof gasSettings>> & { readonly chainId: number };
type Refuse = (path: readonly string[], message: string) => void;

/**
 * Find the contracts of a chain.
 *
 * @param refuse - receives each problem
 * @returns `undefined` after a refusal
 */
export function resolveGas(settings: GasSettings, refuse: Refuse) {
  const contracts = resolveContracts(settings, refuse);
  return (
    contracts && {
      entryPoint: canonical.entryPointV08 as Address,
      paymaster: withoutAddress(settings.paymaster),
      contracts,
    }
  );
}

function resolveContracts({ chainId, paymaster }: GasSettings, refuse: Refuse): ChainContracts | undefined {
  const facts = findChainFacts(chainId);
  const circles = paymaster.kind === 'circle' ? facts?.circlePaymaster : undefined;
  const address = paymaster.address ?? circles;
  if (circles && address !== circles) {
    refuse(['paymaster', 'address'], `must be ${circles}: that is Circle's on chain id ${chainId}`);
    return undefined;
  }
  if (address) return { ...walletContracts, paymaster: address };
  if (paymaster.kind !== 'own' || !facts) {
    refuse(['paymaster', 'address'], `is required: that of this kind on chain id ${chainId} is unknown`);
    return undefined;
  }
  const { owner = localPaymasterOwner, pauser } = paymaster;
  const paymasterRoles = { owner, ...(pauser && { pauser }) };
  return { ...contractAddresses(chainId, paymasterRoles), paymasterRoles };
}

function withoutAddress(paymaster: GasSettings['paymaster']): PaymasterConfig {
  if (paymaster.kind !== 'erc7677') return { kind: paymaster.kind };
  const { kind, url, context } = paymaster;
  return { kind, url, context };
}
