import { createActiveChains } from '@yield-vault/chains';
import { chainedReadsAbi } from '@yield-vault/contracts';
import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { delegationCode } from '@yield-vault/smart-account';
import { RpcFailure, startFakeRpc, type FakeRpc, type RpcHandler } from '@yield-vault/testing';
import { encodeFunctionResult } from 'viem';
import { buildOrder, paymaster } from '../../test/build-order.js';
import type { Order } from '../types.js';
import { entryReads } from './entry-reads.js';
import { exitReads } from './exit-reads.js';
import { readWallet } from './read-wallet.js';
import { walletReads } from './wallet-reads.js';

const given = buildOrder();
const { chain } = given;
const ours = delegationCode(chain.contracts.account);
const foreign = delegationCode('0x1111111111111111111111111111111111111111');
const failing: RpcHandler = () => {
  throw new RpcFailure(-32603, 'internal error');
};

const reads = { ...walletReads(given), ...exitReads(given), ...entryReads(given) };
const asked = Object.values(reads).filter((read) => read !== undefined);
const answeringNothing: RpcHandler = () => {
  const result = asked.map(() => ({ success: false, returned: '0x' as const }));
  return encodeFunctionResult({ abi: chainedReadsAbi, functionName: 'read', result });
};

let node: FakeRpc;
const handlers: Record<string, RpcHandler> = {
  eth_feeHistory: () => ({
    baseFeePerGas: ['0x32', '0x64'],
    gasUsedRatio: [0.5],
    oldestBlock: '0x1',
    reward: [],
  }),
  eth_maxPriorityFeePerGas: () => '0x7',
};
// A fifth above the base fee of the next block.
const fees = { maxFeePerGas: 127n, maxPriorityFeePerGas: 7n };
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
    const attempt = readWallet(order(null), paymaster);
    await expect(attempt).rejects.toThrow(UpstreamUnavailableError);
    await expect(attempt).rejects.toMatchObject({ details: { dependency: 'rpc:base' } });
  });

  it('behavior: a node that knows no contract is not taken for missing modules', async () => {
    handlers['eth_getCode'] = () => ours;
    handlers['eth_call'] = answeringNothing;
    await expect(readWallet(order(null), paymaster)).rejects.toMatchObject({
      code: 'UPSTREAM_UNAVAILABLE',
      details: { dependency: 'rpc:base' },
    });
  });

  it('behavior: what a foreign implementation answers does not matter', async () => {
    handlers['eth_getCode'] = () => foreign;
    handlers['eth_call'] = answeringNothing;
    expect(await readWallet(order(null), paymaster)).toEqual({ fees, setupType: 'full' });
  });

  it('behavior: a wallet without code needs no bundler', async () => {
    handlers['eth_getCode'] = () => '0x';
    expect(await readWallet(order(null), paymaster)).toEqual({ fees, setupType: 'full' });
    expect(await readWallet(order('http://127.0.0.1:1'), paymaster)).toEqual({ fees, setupType: 'full' });
  });
});
