import { startFakeRpc, testAccount, type FakeRpc } from '@yield-vault/testing';
import { openNode } from './open-node.js';

describe('openNode', () => {
  let fake: FakeRpc;
  beforeAll(async () => {
    fake = await startFakeRpc({ eth_chainId: () => '0x2105', eth_getBalance: () => '0x2a' });
  });
  afterAll(() => fake.stop());

  it('default: reads as a public client does, with and without parameters', async () => {
    const node = openNode(fake.rpcUrl);
    expect(await node.getChainId()).toBe(8453);
    expect(await node.getBalance({ address: testAccount('owner').address })).toBe(42n);
  });
});
