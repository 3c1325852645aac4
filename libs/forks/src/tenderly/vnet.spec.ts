import { vnetSchema } from './vnet.js';

// As the API reference shows it, shortened.
const documented = {
  id: 'e7869600-d99e-4cee-886e-ef33f51f312c',
  slug: 'my-staging-testnet',
  display_name: 'My Staging Testnet',
  fork_config: { network_id: 1, block_number: '0x12c50f0' },
  virtual_network_config: { chain_config: { chain_id: 1 }, accounts: [{ address: '0x01' }] },
  sync_state_config: { enabled: false },
  rpcs: [
    { url: 'wss://rpc.example/admin', name: 'Admin RPC' },
    { url: 'https://rpc.example/admin', name: 'Admin RPC' },
    { url: 'wss://rpc.example/admin', name: 'Admin websocket RPC' },
    { url: 'https://rpc.example/public', name: 'Public RPC' },
    { url: 'https://other.example/public', name: 'Public RPC' },
  ],
};

describe('vnetSchema', () => {
  it('default: the documented answer', () => {
    expect(vnetSchema.parse(documented)).toEqual({
      id: documented.id,
      slug: 'my-staging-testnet',
      forkBlock: 0x12c50f0n,
      adminRpcUrl: 'https://rpc.example/admin',
      publicRpcUrl: 'https://rpc.example/public',
    });
  });

  it('behavior: any status, since the set of them is open', () => {
    expect(vnetSchema.parse({ ...documented, status: 'hibernating' }).status).toBe('hibernating');
  });

  it.each([
    ['latest', undefined],
    [19_685_616, 19_685_616n],
    ['19685616', 19_685_616n],
    [null, undefined],
  ])('behavior: the block number %p', (block_number, expected) => {
    expect(vnetSchema.parse({ ...documented, fork_config: { block_number } }).forkBlock).toBe(expected);
  });

  it('behavior: addresses may be missing', () => {
    const { adminRpcUrl, publicRpcUrl } = vnetSchema.parse({ ...documented, rpcs: undefined });
    expect([adminRpcUrl, publicRpcUrl]).toEqual([undefined, undefined]);
  });

  it.each([[{}], [null], [{ ...documented, id: '../other' }], [{ ...documented, rpcs: 'none' }]])(
    'error: %j',
    (answer) => {
      expect(vnetSchema.safeParse(answer).success).toBe(false);
    },
  );
});
