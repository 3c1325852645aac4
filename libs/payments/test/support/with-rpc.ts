import { UpstreamFailure } from '@yield-vault/chains';
import type { PaymentChain } from '../../src/types.js';

/** The chain with some actions of its client replaced. */
export function withRpc(chain: PaymentChain, actions: Partial<PaymentChain['rpc']>): PaymentChain {
  const rpc = Object.assign(Object.create(chain.rpc) as PaymentChain['rpc'], actions);
  return { ...chain, rpc };
}

/** The chain with a client that loses a question before the node gets it, or the node's answer to it. */
export function withLoss(
  chain: PaymentChain,
  lost: 'question' | 'answer',
  isNext: () => boolean,
): PaymentChain {
  const rpc = new Proxy(chain.rpc, {
    get(target, name) {
      const action: unknown = Reflect.get(target, name);
      if (typeof action !== 'function') return action;
      return async (...args: unknown[]) => {
        const isLost = isNext();
        if (isLost && lost === 'question') throw new UpstreamFailure('rpc:base', 'timed out');
        const result: unknown = await Reflect.apply(action, target, args);
        if (isLost) throw new UpstreamFailure('rpc:base', 'timed out');
        return result;
      };
    },
  });
  return { ...chain, rpc };
}
