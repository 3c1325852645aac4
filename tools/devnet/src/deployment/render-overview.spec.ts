import type { Devnet } from '../types.js';
import { renderOverview } from './render-overview.js';

describe('renderOverview', () => {
  const chain = {
    key: 'base',
    chainId: 8453,
    rpcUrl: 'http://127.0.0.1:1',
    walletRpcUrl: 'http://127.0.0.1:2/rpc/base',
    bundlerUrl: 'http://127.0.0.1:3',
  };
  const render = (devnet: object) =>
    renderOverview({ apiUrl: 'http://127.0.0.1:4', devnet: devnet as Devnet, logDirectory: '/logs' });
  const forked = render({
    chains: [chain],
    forkService: { url: 'http://127.0.0.1:2', credential: 'secret' },
  });

  it('default: where everything is, and never the credential', () => {
    expect(forked).toContain(
      'base      fork RPC http://127.0.0.1:2/rpc/base (chain id 8453), bundler http://127.0.0.1:3',
    );
    expect(forked).toMatch(
      /^Page {6}http:\/\/127\.0\.0\.1:4\/\nAPI {7}http:\/\/127\.0\.0\.1:4\nSwagger {3}http:\/\/127\.0\.0\.1:4\/docs$/m,
    );
    expect(forked).not.toContain('secret');
  });

  it('behavior: a call of fund-wallet that works as it stands', () => {
    const body = JSON.parse(/-d '(.*)'/.exec(forked)?.[1] ?? '') as unknown;
    expect(body).toEqual({
      chain: 'base',
      walletAddress: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
      ethWei: '10000000000000000',
      usdcAmount: '50000000',
    });
  });

  it('behavior: without a fork service wallets are on the chain, and the command line funds them', () => {
    const plain = render({ chains: [{ ...chain, walletRpcUrl: chain.rpcUrl }] });
    expect(plain).toContain('base      RPC http://127.0.0.1:1 (chain id 8453)');
    expect(plain).toContain('--rpc-url http://127.0.0.1:1');
    expect(plain).not.toContain('fund-wallet');
  });
});
