import { z } from 'zod';
import type { ForkRequest } from '../rpc/create-fork-request.js';

const blockSchema = z.object({ timestamp: z.string() });

/** Let the clock of a node show real time; a chain that is ahead of it stays ahead. */
export async function setClock(request: ForkRequest): Promise<void> {
  const block = blockSchema.parse(await request('eth_getBlockByNumber', ['latest', false]));
  const now = Math.floor(Date.now() / 1_000);
  await request('evm_setTime', [Math.max(now, Number(block.timestamp))]);
}
