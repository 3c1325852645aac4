import type { DepositHook, RedeemHook } from '@yield-vault/smart-account';
import type { Address } from 'viem';
import type { Effect } from '../types.js';
import { gasBound } from './gas-bound.js';
import type { RecomputedEnvelope } from './recompute-envelope.js';

/** List what an operation does, in the order in which it happens; gas is taken before anything else. */
export function effectsOf(envelope: RecomputedEnvelope, maxEthUsd: number): readonly Effect[] {
  const { operation, hooks, deployment } = envelope;
  const { paymaster, usdc } = deployment;
  const wallet = operation.sender;
  const effects: Effect[] = [
    {
      effect: 'pay-gas',
      token: usdc,
      paymaster: paymaster.address,
      ...gasBound(operation, deployment, maxEthUsd),
      maxEthUsd,
      boundBy: paymaster.kind === 'own' ? 'code' : 'terms',
      until: envelope.envelope.expiry,
    },
  ];
  if (hooks.kind !== 'deposit') effects.push(redeemed(hooks.redeem, wallet));
  if (hooks.kind !== 'redeem') effects.push(...deposited(hooks.deposit, wallet));
  if (hooks.allowance) {
    const { amount } = hooks.allowance;
    effects.push({ effect: 'approve-paymaster', token: usdc, spender: paymaster.address, amount });
  }
  return effects;
}

function redeemed({ vault, token, shares, minAssets }: RedeemHook, receiver: Address): Effect {
  return { effect: 'redeem', vault, token, shares, minAssets, receiver };
}

function deposited({ vault, token, amount, minShares }: DepositHook, receiver: Address): readonly Effect[] {
  return [
    { effect: 'approve', token, spender: vault, amount },
    { effect: 'deposit', vault, token, amount, minShares, receiver },
  ];
}
