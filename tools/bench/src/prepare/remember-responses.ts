import type { ActiveChain } from '@yield-vault/chains';
import { createPublicClient, custom } from 'viem';

/** Make a chain that sends each request once, so that later runs measure the caller's own work only. */
export function rememberResponses(chain: ActiveChain): ActiveChain {
  const { rpc, bundler } = chain;
  if (!bundler) throw new Error('The chain has no bundler');
  const responses = new Map<string, Promise<unknown>>();
  const remember = <T>(question: unknown, send: () => Promise<T>): Promise<T> => {
    const key = JSON.stringify(question, (_, value: unknown) =>
      typeof value === 'bigint' ? `${value}n` : value,
    );
    const response = responses.get(key) ?? send();
    responses.set(key, response);
    return response as Promise<T>;
  };
  const request = (question: { method: string; params?: unknown }) =>
    remember(question, () => rpc.request(question as never));
  return {
    ...chain,
    rpc: createPublicClient({ chain: rpc.chain, cacheTime: 0, transport: custom({ request }) }),
    bundler: {
      ...bundler,
      gasPrice: () => remember('gasPrice', () => bundler.gasPrice()),
      estimate: (userOp) => remember(userOp, () => bundler.estimate(userOp)),
    },
  };
}
