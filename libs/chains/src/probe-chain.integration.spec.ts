import { startAnvil, startFakeRpc, type Anvil, type FakeRpc } from '@yield-vault/testing';
import { buildChainConfig } from '../test/build-chain-config.js';
import { createActiveChains } from './active-chains.js';
import { probeChain } from './probe-chain.js';

let anvil: Anvil;
let bundler: FakeRpc;
beforeAll(async () => {
  anvil = await startAnvil({ chainId: 8453 });
  bundler = await startFakeRpc({ eth_chainId: () => '0x2105' });
});
afterAll(async () => {
  await anvil.stop();
  await bundler.stop();
});

const probe = (overrides: Parameters<typeof buildChainConfig>[0]) => {
  const config = buildChainConfig({
    rpcUrls: [anvil.rpcUrl],
    deadlines: { rpcMs: 400, bundlerMs: 400 },
    ...overrides,
  });
  return probeChain(createActiveChains({ chains: { base: config } }).require('base'));
};

describe('probeChain', () => {
  it('default', async () => {
    expect(await probe({ bundlerUrl: bundler.rpcUrl })).toEqual({
      blockNumber: 0,
      newestBlock: { timestamp: expect.any(BigInt) as bigint, baseFeePerGas: expect.any(BigInt) as bigint },
      ...{ rpc: 'ok', bundler: 'ok' },
    });
  });

  it('behavior: no bundler configured', async () => {
    expect(await probe({})).toMatchObject({ rpc: 'ok', bundler: 'off' });
  });

  it('behavior: nothing answers', async () => {
    const dead = 'http://127.0.0.1:1';
    expect(await probe({ rpcUrls: [dead], bundlerUrl: dead })).toEqual({
      blockNumber: null,
      rpc: 'down',
      bundler: 'down',
    });
  });

  it('behavior: a node or bundler of another chain is as good as none', async () => {
    expect(await probe({ chainId: 1, bundlerUrl: bundler.rpcUrl })).toEqual({
      blockNumber: null,
      rpc: 'down',
      bundler: 'down',
    });
  });
});
