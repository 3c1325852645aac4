import { startAnvil } from '@yield-vault/anvil';
import { canonical } from '@yield-vault/contracts';
import {
  createTestClient,
  encodeFunctionData,
  http,
  numberToHex,
  parseEther,
  parseEventLogs,
  type Address,
  type Log,
} from 'viem';
import { entryPoint08Abi, toPackedUserOperation } from 'viem/account-abstraction';
import type { SignedOperation } from '../sign-operation.js';

const bundler: Address = '0x00000000000000000000000000000000b0bb1e55';
const gas = numberToHex(5_000_000);

/** The obvious way: a fork with the default flags for each simulation, and a real transaction on it. */
export async function simulateNaively(
  upstreamUrl: string,
  { operation, userOpHash }: SignedOperation,
): Promise<void> {
  const { rpcUrl, kill } = await startAnvil({ args: ['--fork-url', upstreamUrl] });
  try {
    const client = createTestClient({ mode: 'anvil', transport: http(rpcUrl) });
    await client.impersonateAccount({ address: bundler });
    await client.setBalance({ address: bundler, value: parseEther('10') });
    const data = encodeFunctionData({
      abi: entryPoint08Abi,
      functionName: 'handleOps',
      args: [[toPackedUserOperation(operation)], bundler],
    });
    const transaction = { from: bundler, to: canonical.entryPointV08, data, gas };
    const { logs } = await client.request<{ ReturnType: { logs: Log[] } }>({
      method: 'eth_sendTransactionSync',
      params: [transaction],
    });
    const events = parseEventLogs({ abi: entryPoint08Abi, eventName: 'UserOperationEvent', logs });
    if (!events.some(({ args }) => args.userOpHash === userOpHash && args.success))
      throw new Error('The naive simulation failed');
  } finally {
    await kill();
  }
}
