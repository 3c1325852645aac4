import { canonical } from '@yield-vault/contracts';
import { startAnvil, startFakeRpc, type Anvil, type FakeRpc } from '@yield-vault/testing';
import { buildChainConfig } from '../test/build-chain-config.js';
import { createActiveChains } from './active-chains.js';
import { createChainProbe } from './probe-chain.js';

let anvil: Anvil;
let bundler: FakeRpc;
let entryPoints: readonly string[];
let logged: string[];
beforeEach(() => {
  entryPoints = [canonical.entryPointV08.toLowerCase()];
  logged = [];
});
beforeAll(async () => {
  anvil = await startAnvil({ chainId: 8453 });
  bundler = await startFakeRpc({
    eth_chainId: () => '0x2105',
    eth_supportedEntryPoints: () => entryPoints,
  });
});
afterAll(async () => {
  await anvil.stop();
  await bundler.stop();
});

const nowSeconds = () => Math.floor(Date.now() / 1_000);
const build = (overrides: Parameters<typeof buildChainConfig>[0]) => {
  const config = buildChainConfig({
    rpcUrls: [anvil.rpcUrl],
    ...overrides,
  });
  const chain = createActiveChains({ chains: { base: config } }).require('base');
  const probeChain = createChainProbe({
    error: (_, message) => void logged.push(message),
    warn: () => undefined,
  });
  return () => probeChain(chain);
};
const probe = (overrides: Parameters<typeof buildChainConfig>[0]) => build(overrides)();

describe('createChainProbe', () => {
  it('default', async () => {
    expect(await probe({ bundlerUrls: [bundler.rpcUrl] })).toEqual({
      blockNumber: 0,
      newestBlock: { timestamp: expect.any(BigInt) as bigint, baseFeePerGas: expect.any(BigInt) as bigint },
      ...{ rpc: 'ok', bundler: 'ok', bundlers: { 'bundler:base': 'ok' } },
    });
  });

  it('behavior: no bundler configured', async () => {
    expect(await probe({})).toMatchObject({ rpc: 'ok', bundler: 'off' });
  });

  it('behavior: ok while one of several bundlers responds', async () => {
    const bundlerUrls = ['http://127.0.0.1:1', bundler.rpcUrl];
    expect(await probe({ bundlerUrls })).toMatchObject({
      bundler: 'ok',
      bundlers: { 'bundler:base': 'down', 'bundler:base:2': 'ok' },
    });
    expect(logged).toEqual([expect.stringMatching(/^bundler:base is down: /)]);
  });

  it('behavior: a node or bundler of another chain is as good as none', async () => {
    expect(await probe({ chainId: 1, bundlerUrls: [bundler.rpcUrl] })).toEqual({
      blockNumber: null,
      rpc: 'down',
      bundler: 'down',
      bundlers: { 'bundler:base': 'down' },
    });
  });

  it('behavior: a bundler of another entry point is down, which is logged once', async () => {
    const probeAgain = build({ bundlerUrls: [bundler.rpcUrl] });
    entryPoints = [canonical.multicall3];
    for (let i = 0; i < 2; i++) expect(await probeAgain()).toMatchObject({ rpc: 'ok', bundler: 'down' });
    expect(logged).toEqual([expect.stringContaining(canonical.multicall3)]);
    expect(logged[0]).toContain(canonical.entryPointV08);
    entryPoints = [canonical.multicall3, canonical.entryPointV08];
    expect(await probeAgain()).toMatchObject({ bundler: 'ok' });
  });

  it('behavior: a node whose newest block is too old is down', async () => {
    const old = await startAnvil({ chainId: 8453, args: ['--timestamp', String(nowSeconds() - 600)] });
    const config = { rpcUrls: [old.rpcUrl], maxHeadAgeSeconds: 60 };
    expect(await probe(config)).toMatchObject({ blockNumber: null, rpc: 'down' });
    expect(logged[0]).toMatch(/^rpc:base is down: .*the newest block is 60\d s old/);
    await old.stop();
  });
});
