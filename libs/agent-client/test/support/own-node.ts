import { delegationCode } from '@yield-vault/smart-account';
import { startFakeRpc, testAccount, type FakeRpc } from '@yield-vault/testing';
import { numberToHex, parseGwei, type Hex } from 'viem';
import { localAddressBook, type AgentClient } from '../../src/index.js';
import type { Agent } from '../../src/flow/types.js';
import { local } from './book.js';
import { deposit } from './build-prepared.js';
import { nodeReads } from './node-reads.js';

/**
 * Serve the agent's own node to the tests of a file. Before each test it has a wallet of Base that is set up; a test may
 * change the values.
 */
export function useOwnNode(more: Parameters<typeof startFakeRpc>[0] = {}) {
  const initial = {
    chainId: local.chainId,
    code: delegationCode(local.account),
    sequence: 7n,
    quote: deposit.minShares as bigint,
    gasPrice: parseGwei('0.2'),
  };
  let rpc: FakeRpc;
  const own = {
    ...initial,
    url: () => rpc.rpcUrl,
    /** An agent with this node, whose service has some of the endpoints. */
    agentOf: (endpoints: object, onProgress?: Agent['onProgress']): Agent => ({
      client: endpoints as AgentClient,
      signer: testAccount('owner'),
      rpc: rpc.rpcUrl,
      chain: 'base',
      addressBook: localAddressBook,
      onProgress,
    }),
    setFault: (fault: Parameters<FakeRpc['setFault']>[0]) => rpc.setFault(fault),
  };
  beforeAll(async () => {
    rpc = await startFakeRpc({
      eth_chainId: () => numberToHex(own.chainId),
      eth_getCode: (): Hex => own.code,
      ...nodeReads(() => own),
      ...more,
    });
  });
  afterAll(() => rpc.stop());
  beforeEach(() => {
    rpc.setFault(undefined);
    Object.assign(own, initial);
  });
  return own;
}
