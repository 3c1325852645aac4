import { createActiveChains } from '@yield-vault/chains';
import { chainedReadsAbi } from '@yield-vault/contracts';
import { delegationCode } from '@yield-vault/smart-account';
import { RpcFailure, startFakeRpc, type FakeRpc, type RpcHandler } from '@yield-vault/testing';
import { encodeFunctionResult } from 'viem';
import { buildRequest, paymaster } from '../test/build-request.js';
import type { CheckedRequest } from './types.js';
import { readsOf, readWallet } from './wallet.js';
import { expectUnavailable } from '../test/expect-error.js';

const given = buildRequest();
const { chain } = given;
const ours = delegationCode(chain.contracts.account);
const foreign = delegationCode('0x1111111111111111111111111111111111111111');

const failing: RpcHandler = () => {
  throw new RpcFailure(-32603, 'internal error');
};

const reads = Object.values(readsOf(given)).filter((read) => read !== undefined);

const revertingAll: RpcHandler = () => {
  const result = reads.map(() => ({ success: false, returned: '0x' as const }));
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
  eth_getTransactionCount: () => '0x9',
  eth_getStorageAt: () => '0x',
};

// A fifth above the base fee of the next block.
const fees = { maxFeePerGas: 127n, maxPriorityFeePerGas: 7n };

beforeAll(async () => {
  node = await startFakeRpc(handlers);
});

afterAll(() => node.stop());

function requestWith(bundlerUrls: readonly string[]): CheckedRequest {
  const chains = createActiveChains({ chains: { base: { ...chain, rpcUrls: [node.rpcUrl], bundlerUrls } } });
  return buildRequest({ chain: chains.require('base') });
}

describe('readWallet', () => {
  it('behavior: modules do not look missing while calls fail', async () => {
    handlers['eth_getCode'] = () => ours;
    handlers['eth_call'] = failing;
    await expectUnavailable(readWallet(requestWith([]), paymaster, 5n), 'rpc:base');
  });

  it('behavior: modules do not look missing on a node without contracts', async () => {
    handlers['eth_getCode'] = () => ours;
    handlers['eth_call'] = revertingAll;
    await expectUnavailable(readWallet(requestWith([]), paymaster, 5n), 'rpc:base');
  });

  it('behavior: a foreign implementation gets a full setup, for any results of its views', async () => {
    handlers['eth_getCode'] = () => foreign;
    handlers['eth_call'] = revertingAll;
    expect(await readWallet(requestWith([]), paymaster, 5n)).toMatchObject({ fees, setupType: 'full' });
  });

  it('behavior: a wallet without code needs no bundler', async () => {
    handlers['eth_getCode'] = () => '0x';
    const expected = { fees, setupType: 'full', setupNonces: undefined };
    expect(await readWallet(requestWith([]), paymaster, 5n)).toMatchObject(expected);
    expect(await readWallet(requestWith(['http://127.0.0.1:1']), paymaster, 5n)).toMatchObject(expected);
  });
});
