import { createPublicClient, http } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { startAnvil } from './start-anvil.js';
import { anvilKey } from './test-accounts.js';

describe('startAnvil', () => {
  it('behavior: several chains at once, each with its own id, gone after stop', async () => {
    const chains = await Promise.all([startAnvil({ chainId: 8453 }), startAnvil({ chainId: 1 })]);
    const clients = chains.map(({ rpcUrl }) =>
      createPublicClient({ transport: http(rpcUrl, { retryCount: 0 }) }),
    );
    try {
      expect(await Promise.all(clients.map((client) => client.getChainId()))).toEqual([8453, 1]);
      const funded = await clients[0]!.getBalance({ address: privateKeyToAddress(anvilKey(0)) });
      expect(funded).toBe(10_000n * 10n ** 18n);
    } finally {
      await Promise.all(chains.map((chain) => chain.stop()));
    }
    await expect(clients[0]!.getChainId()).rejects.toThrow();
  });

  it('error: says why it did not start', async () => {
    await expect(startAnvil({ args: ['--no-such-flag'] })).rejects.toThrow(/no-such-flag/);
  });
});
