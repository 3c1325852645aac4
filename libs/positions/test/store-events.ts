import type { ActiveChain } from '@yield-vault/chains';
import { storeChainEvents, type DatabaseHandle } from '@yield-vault/database';
import { eventTopics, parseShareMovements, parseUserOperations } from '@yield-vault/smart-account';
import { formatLog, numberToHex, type Address, type RpcLog } from 'viem';
import type { FollowerPort } from '../src/ports.js';

/** Follow some vaults from a block on: a call that waits for a block stores its events. */
export async function followChain(
  { db }: Pick<DatabaseHandle, 'db'>,
  chain: ActiveChain,
  vaults: readonly Address[],
  firstBlock = 0n,
): Promise<FollowerPort> {
  const { chainId, rpc, entryPoint, usdc } = chain;
  await db
    .insertInto('followed_contract')
    .values(
      vaults.map((vault) => ({ chain_id: chainId, address: vault.toLowerCase(), first_block: firstBlock })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return {
    reach: async (_, block) => {
      const topics = [Object.values(eventTopics)];
      const range = { fromBlock: numberToHex(firstBlock), toBlock: numberToHex(block) };
      const found: RpcLog[] = await rpc.request({ method: 'eth_getLogs', params: [{ ...range, topics }] });
      const logs = found.map((log) => formatLog(log));
      const isVault = new Set(vaults.map((vault) => vault.toLowerCase()));
      await storeChainEvents(db, chainId, {
        movements: parseShareMovements(logs.filter(({ address }) => isVault.has(address.toLowerCase()))),
        operations: parseUserOperations(logs, { ...chain.contracts, entryPoint, usdc }),
      });
      return true;
    },
  };
}
