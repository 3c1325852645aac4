import type { ActiveChain } from '@yield-vault/chains';
import { createPublicClient, custom } from 'viem';

/** Make a chain that asks each question once: from the second time on, nothing but the caller's own work takes time. */
export function rememberAnswers(chain: ActiveChain): ActiveChain {
  const { rpc, bundler } = chain;
  if (!bundler) throw new Error('The chain has no bundler');
  const answers = new Map<string, Promise<unknown>>();
  const remember = <T>(question: unknown, ask: () => Promise<T>): Promise<T> => {
    const key = JSON.stringify(question, (_, value: unknown) =>
      typeof value === 'bigint' ? `${value}n` : value,
    );
    const answer = answers.get(key) ?? ask();
    answers.set(key, answer);
    return answer as Promise<T>;
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
