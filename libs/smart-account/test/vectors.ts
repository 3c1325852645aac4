import type { Hex } from 'viem';
import type { ExecutorHook } from '../src/index.js';
import file from './vectors/calls.json' with { type: 'json' };

const amount = (text: string | undefined) => (text && /^\d+$/.test(text) ? BigInt(text) : text);

/** The frozen calls of `vectors/calls.json`, with amounts as bigint. */
export const callVectors = file.calls.map(({ name, hooks, entries, callData }) => ({
  name,
  hooks: hooks.map(
    (hook) =>
      Object.fromEntries(
        Object.entries(hook).map(([key, text]) => [key, amount(text)]),
      ) as unknown as ExecutorHook,
  ),
  entries: entries as Hex,
  callData: callData as Hex,
}));
export const { initializeAccount, signatures, nonceKey: nonceKeyVector } = file;
