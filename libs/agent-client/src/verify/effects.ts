import { postOpPenaltyThreshold } from '@yield-vault/contracts';
import { totalGasLimit, type UserOperation } from '@yield-vault/protocol';
import type { ApproveHook, DepositHook, RedeemHook } from '@yield-vault/smart-account';
import { formatUnits, isAddressEqual, type Address } from 'viem';
import type { AddressBook, BookDeployment } from './address-book.js';
import type { RecomputedEnvelope } from './recompute-envelope.js';

/** One thing that happens when the operation is included. Amounts are base units. */
export type Effect =
  | {
      /** For this operation. After it, at most one base unit of USDC stays allowed, and nothing of other tokens. */
      readonly effect: 'approve';
      readonly token: Address;
      readonly spender: Address;
      readonly amount: bigint | 'previous';
    }
  | {
      readonly effect: 'deposit';
      readonly vault: Address;
      readonly token: Address;
      /** `previous` is the proceeds of the redeem before it. */
      readonly amount: bigint | 'previous';
      readonly minShares: bigint;
      readonly receiver: Address;
    }
  | {
      readonly effect: 'redeem';
      readonly vault: Address;
      readonly token: Address;
      readonly shares: bigint | 'all';
      readonly minAssets: bigint;
      readonly receiver: Address;
    }
  | {
      /** Replaces the present allowance, and stays. */
      readonly effect: 'approve-paymaster';
      readonly token: Address;
      readonly spender: Address;
      readonly amount: bigint;
    }
  | {
      /** As `approve-paymaster`, by a permit that anybody can use until its nonce is spent. */
      readonly effect: 'permit-paymaster';
      readonly token: Address;
      readonly spender: Address;
      readonly amount: bigint;
    }
  | {
      readonly effect: 'pay-gas';
      readonly token: Address;
      readonly paymaster: Address;
      /** Highest gas times highest fee, with the paymaster's additions. */
      readonly maxWei: bigint;
      /** Base units of USDC: the signed grant, or else `maxWei` at `maxEthUsd`, with the highest markup. */
      readonly maxUsdc: bigint;
      readonly maxEthUsd: number;
      /** What bounds `maxUsdc`: a grant, which the chain enforces, or the paymaster's terms in the address book. */
      readonly boundBy: 'grant' | 'terms';
      /** Unix seconds. */
      readonly until: number;
    }
  | {
      readonly effect: 'delegate';
      readonly implementation: Address;
      /** The implementation that it replaces; set when the wallet's code was given. */
      readonly replaces?: Address;
    }
  | { readonly effect: 'install'; readonly module: 'validator' | 'executor'; readonly address: Address };

/** List what an operation does, in the order in which it happens: delegation, permit and gas come before the hooks. */
export function effectsOf(envelope: RecomputedEnvelope, maxEthUsd: number): readonly Effect[] {
  const { operation, hooks, deployment, authorization, grant, permit } = envelope;
  const { paymaster, usdc } = deployment;
  const wallet = operation.sender;
  const effects: Effect[] = [
    ...(authorization ? delegationEffects(deployment) : []),
    ...(permit ? [permitEffect(deployment, permit.value)] : []),
    {
      effect: 'pay-gas',
      token: usdc,
      paymaster: paymaster.address,
      ...gasBound(operation, deployment, maxEthUsd),
      ...(grant && { maxUsdc: grant.maximum }),
      maxEthUsd,
      boundBy: grant ? 'grant' : 'terms',
      until: envelope.envelope.expiry,
    },
  ];
  if (hooks.kind !== 'deposit') effects.push(redeemed(hooks.redeem, wallet));
  if (hooks.kind !== 'redeem') effects.push(...deposited(hooks.deposit, wallet));
  return [...effects, ...hooks.approvals.map(approved)];
}

function approved({ token, spender, amount }: Omit<ApproveHook, 'hook'>): Effect {
  return { effect: 'approve-paymaster', token, spender, amount };
}

export function redeemed({ vault, token, shares, minAssets }: RedeemHook, receiver: Address): Effect {
  return { effect: 'redeem', vault, token, shares, minAssets, receiver };
}

export function deposited(
  { vault, token, amount, minShares }: DepositHook,
  receiver: Address,
): readonly Effect[] {
  return [
    { effect: 'approve', token, spender: vault, amount },
    { effect: 'deposit', vault, token, amount, minShares, receiver },
  ];
}

/** List what an authorization does. */
export function delegationEffects(deployment: BookDeployment, replaced?: Address): readonly Effect[] {
  const replaces = replaced && { replaces: replaced };
  return [{ effect: 'delegate', implementation: deployment.account, ...replaces }, ...installed(deployment)];
}

/** Say what a permit does. */
export function permitEffect({ usdc, paymaster }: BookDeployment, amount: bigint): Effect {
  return { effect: 'permit-paymaster', token: usdc, spender: paymaster.address, amount };
}

/** List what a setup does, in the order in which it happens. */
export function setupEffects(
  delegates: boolean,
  deployment: BookDeployment,
  approval: Omit<ApproveHook, 'hook'> | undefined,
  replaced: Address | undefined,
): readonly Effect[] {
  return [
    ...(delegates ? delegationEffects(deployment, replaced) : installed(deployment)),
    ...(approval ? [approved(approval)] : []),
  ];
}

function installed({ validator, executor }: BookDeployment): readonly Effect[] {
  return [
    { effect: 'install', module: 'validator', address: validator },
    { effect: 'install', module: 'executor', address: executor },
  ];
}

const weiPerEther = 10n ** 18n;
const basisPoints = 10_000n;
const penaltyDivisor = 10n;

/**
 * Compute the highest cost of an operation: in wei from its own fields, and in base units of USDC at `maxEthUsd`
 * dollars for an ether.
 */
export function gasBound(
  operation: UserOperation,
  { paymaster: { extraGas, maxMarkupBps } }: BookDeployment,
  maxEthUsd: number,
): { maxWei: bigint; maxUsdc: bigint } {
  const gas = totalGasLimit(operation) + extraGas + penaltyOf(operation);
  const maxWei = gas * operation.maxFeePerGas;
  const cents = BigInt(Math.ceil(maxEthUsd * 100));
  // A cent is 1e4 base units of USDC and a basis point is 1e-4, so they cancel. Paymasters round up, some twice.
  const maxUsdc = (maxWei * cents * (basisPoints + BigInt(maxMarkupBps))) / weiPerEther + 2n;
  return { maxWei, maxUsdc };
}

// The entry point keeps a tenth of the unused postOp gas. The paymaster cannot see how much is unused, so it adds all of it.
function penaltyOf({ paymasterPostOpGasLimit = 0n }: UserOperation): bigint {
  return paymasterPostOpGasLimit > postOpPenaltyThreshold ? paymasterPostOpGasLimit / penaltyDivisor : 0n;
}

/** Say what effects are in words, one line each. */
export function summarise(
  effects: readonly Effect[],
  chainId: number,
  { tokens }: AddressBook,
): readonly string[] {
  const amountOf = (amount: bigint, address: Address, unknownUnit: string): string => {
    const token = tokens.find((one) => one.chainId === chainId && isAddressEqual(one.address, address));
    return token
      ? `${formatUnits(amount, token.decimals)} ${token.symbol}`
      : `${amount} base units of ${unknownUnit} ${address}`;
  };
  return effects.map((effect) => describe(effect, amountOf));
}

type Format = (amount: bigint, token: Address, unknownUnit: string) => string;

function describe(effect: Effect, format: Format): string {
  const assets = (amount: bigint | 'previous', token: Address) =>
    amount === 'previous' ? 'all that the redeem brought' : format(amount, token, 'token');
  const shares = (amount: bigint | 'all', vault: Address) =>
    amount === 'all' ? 'all shares' : format(amount, vault, 'share token');
  switch (effect.effect) {
    case 'pay-gas': {
      const most = `${format(effect.maxUsdc, effect.token, 'token')} for gas`;
      const price = `, by its terms, while an ether costs at most ${effect.maxEthUsd} USD`;
      const terms = effect.boundBy === 'terms' ? price : '';
      return `pay at most ${most} to paymaster ${effect.paymaster}${terms}, until ${timeOf(effect.until)}`;
    }
    case 'approve':
      return `approve ${assets(effect.amount, effect.token)} to ${effect.spender}`;
    case 'deposit': {
      const least = format(effect.minShares, effect.vault, 'share token');
      return `deposit ${assets(effect.amount, effect.token)} into ${effect.vault} for at least ${least}, to yourself`;
    }
    case 'redeem': {
      const least = format(effect.minAssets, effect.token, 'token');
      return `redeem ${shares(effect.shares, effect.vault)} of ${effect.vault} for at least ${least}, to yourself`;
    }
    case 'approve-paymaster': {
      const amount = format(effect.amount, effect.token, 'token');
      return `set the allowance of paymaster ${effect.spender} to ${amount}`;
    }
    case 'permit-paymaster': {
      const amount = format(effect.amount, effect.token, 'token');
      return `permit paymaster ${effect.spender} to take ${amount}, valid until the nonce of the permit is spent`;
    }
    case 'delegate': {
      const replaced = effect.replaces ? `, in place of ${effect.replaces}` : '';
      return `delegate your wallet to ${effect.implementation}${replaced}`;
    }
    case 'install':
      return `install the ${effect.module} module ${effect.address}`;
  }
}

function timeOf(unixSeconds: number): string {
  const lastOfDate = 8_640_000_000_000;
  if (unixSeconds > lastOfDate) return `second ${unixSeconds}`;
  return new Date(unixSeconds * 1000).toISOString().replace('T', ' ').replace('.000Z', ' UTC');
}
