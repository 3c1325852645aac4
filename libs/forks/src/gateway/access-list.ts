import { numberToHex, type Address } from 'viem';
import { z } from 'zod';
import type { SimulatedCall } from '../types.js';
import { accountItem, slotItem, type StateItem } from './state-item.js';
import type { RpcCall, RpcOutcome } from './types.js';

const accessListSchema = z.object({
  accessList: z.array(z.object({ address: z.string(), storageKeys: z.array(z.string()) })),
});

/** Ask what a call would touch at a block or at `latest`. */
export function accessListCall(call: SimulatedCall, at: bigint | 'latest'): RpcCall {
  const { from, to, data, value } = call;
  const transaction = { from, to, data, ...(value !== undefined && { value: numberToHex(value) }) };
  return {
    method: 'eth_createAccessList',
    params: [transaction, typeof at === 'bigint' ? numberToHex(at) : at],
  };
}

/** Read what a call would touch; a node that cannot say it adds nothing. */
export function touchedItems(outcome: RpcOutcome | undefined): readonly StateItem[] {
  const { data } = accessListSchema.safeParse(outcome && 'result' in outcome ? outcome.result : undefined);
  return (data?.accessList ?? []).flatMap(({ address, storageKeys }) => [
    accountItem(address),
    ...storageKeys.map((slot) => slotItem(address, slot)),
  ]);
}

/** What calls touch by themselves: access lists leave it out. */
export function partiesOf(calls: readonly SimulatedCall[]): readonly StateItem[] {
  return calls
    .flatMap(({ from, to, authorizationList = [] }): Address[] => [
      from,
      to,
      ...authorizationList.map(({ address }) => address),
    ])
    .map(accountItem);
}
