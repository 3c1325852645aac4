import { createActiveChains } from '@yield-vault/chains';
import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { delegationCode } from '@yield-vault/smart-account';
import { RpcFailure, startFakeRpc, type FakeRpc, type RpcHandler } from '@yield-vault/testing';
import { buildOrder } from '../../test/build-order.js';
import type { Order } from '../types.js';
import { readWallet } from './read-wallet.js';

const { chain } = buildOrder();
const ours = delegationCode(chain.contracts.account);
const foreign = delegationCode('0x1111111111111111111111111111111111111111');
const failing: RpcHandler = () => {
  throw new RpcFailure(-32603, 'internal error');
};

let node: FakeRpc;
const handlers: Record<string, RpcHandler> = {};
beforeAll(async () => {
  node = await startFakeRpc(handlers);
});
afterAll(() => node.stop());

function order(bundlerUrl: string | null): Order {
  const { key: _, rpc: __, bundler: ___, explorerTxUrl: ____, ...config } = chain;
  const chains = createActiveChains({ chains: { base: { ...config, rpcUrls: [node.rpcUrl], bundlerUrl } } });
  return buildOrder({ chain: chains.require('base') });
}

describe('readWallet', () => {
  it('behavior: an outage of the calls is not taken for missing modules', async () => {
    handlers['eth_getCode'] = () => ours;
    handlers['eth_call'] = failing;
    const attempt = readWallet(order(null));
    await expect(attempt).rejects.toThrow(UpstreamUnavailableError);
    await expect(attempt).rejects.toMatchObject({ details: { dependency: 'rpc:base' } });
  });

  it('behavior: what a foreign implementation answers does not matter', async () => {
    handlers['eth_getCode'] = () => foreign;
    handlers['eth_call'] = () => {
      throw new RpcFailure(3, 'execution reverted', '0x');
    };
    expect(await readWallet(order(null))).toEqual({ setupType: 'full' });
  });

  it('behavior: a wallet without code needs no bundler', async () => {
    handlers['eth_getCode'] = () => '0x';
    expect(await readWallet(order(null))).toEqual({ setupType: 'full' });
    expect(await readWallet(order('http://127.0.0.1:1'))).toEqual({ setupType: 'full' });
  });
});
