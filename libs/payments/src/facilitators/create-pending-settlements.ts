import { InMemoryPendingSettlementStore, type PendingSettlementStore } from '@x402/core/facilitator';
import { TransactionNotFoundError, type Hex } from 'viem';
import type { PaymentChain } from '../ports.js';

/**
 * Remember transfers that were sent and are not confirmed, for as long as the node knows them: one that it lost has to
 * be sent again, or its payer would wait until the authorization runs out.
 */
export function createPendingSettlements({ rpc }: PaymentChain): PendingSettlementStore {
  const store = new InMemoryPendingSettlementStore();
  const isLost = (hash: Hex) =>
    rpc.getTransaction({ hash }).then(
      () => false,
      (error: unknown) => error instanceof TransactionNotFoundError,
    );
  return {
    async get(key) {
      const hash = await store.get(key);
      if (hash === undefined || !(await isLost(hash as Hex))) return hash;
      await store.delete(key);
      return undefined;
    },
    set: (key, hash) => store.set(key, hash),
    delete: (key) => store.delete(key),
  };
}
