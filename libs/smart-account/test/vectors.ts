import type { Address, Hex } from 'viem';
import type { ExecutorHook } from '../src/index.js';
import file from './vectors/calls.json' with { type: 'json' };

const amount = (value: unknown) => (typeof value === 'string' && /^\d+$/.test(value) ? BigInt(value) : value);

/** The frozen calls of `vectors/calls.json`, with amounts as bigint. */
export const callVectors = file.calls.map(({ name, hooks, entries, callData }) => ({
  name,
  hooks: hooks.map(
    (hook) =>
      Object.fromEntries(
        Object.entries(hook).map(([key, value]) => [key, amount(value)]),
      ) as unknown as ExecutorHook,
  ),
  entries: entries as Hex,
  callData: callData as Hex,
}));
/** Grants in paymaster data. */
export const grantVectors = file.gasGrants.map(({ token, maximum, data }) => ({
  token: token as Address,
  maximum: BigInt(maximum),
  data: data as Hex,
}));
export const { setupCalls, signatures, nonceKey: nonceKeyVector } = file;
