import { startAnvil, type AnvilProcess } from '../../src/server/anvil/index.js';
import { createPublicClient, createTestClient, http, type PublicClient, type TestClient } from 'viem';
import { tiny } from './tiny-contracts.js';

/** A chain to be forked. */
export interface Upstream extends AnvilProcess {
  readonly reader: PublicClient;
  readonly operator: TestClient<'anvil'>;
}

/** Start a chain with the tiny contracts. */
export async function startUpstream(chainId = 8453, args: readonly string[] = []): Promise<Upstream> {
  const anvil = await startAnvil({ args: ['--chain-id', String(chainId), ...args] });
  const transport = http(anvil.rpcUrl, { retryCount: 0 });
  const operator = createTestClient({ mode: 'anvil', transport });
  for (const { address, code } of Object.values(tiny)) await operator.setCode({ address, bytecode: code });
  await operator.mine({ blocks: 3 });
  return { ...anvil, operator, reader: createPublicClient({ transport, cacheTime: 0 }) };
}
