import { createPublicClient, http, type PublicClient } from 'viem';

const timeoutMs = 20_000;
const retryCount = 2;

/** Connect to a node. */
export function connect(url: string): PublicClient {
  return createPublicClient({ transport: http(url, { batch: true, timeout: timeoutMs, retryCount }) });
}
