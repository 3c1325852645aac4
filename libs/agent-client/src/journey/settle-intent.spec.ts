import { startFakeRpc, type FakeRpc } from '@yield-vault/testing';
import { numberToHex } from 'viem';
import { addressBook, local } from '../../test/support/book.js';
import { buildPrepared, now } from '../../test/support/build-prepared.js';
import { ApiError, IntentFailedError } from '../errors.js';
import type { AgentClient } from '../http/create-agent-client.js';
import type { ExecuteResponse } from '../types.js';
import { settleIntent } from './settle-intent.js';

const request = { intentEnvelope: buildPrepared(), intentSignature: '0x12' } as const;

describe('settleIntent', () => {
  let rpc: FakeRpc;
  let chainId: number;
  beforeEach(() => (chainId = local.chainId));
  beforeAll(async () => {
    rpc = await startFakeRpc({
      eth_chainId: () => numberToHex(chainId),
      eth_getBlockByNumber: () => ({ number: '0x10', timestamp: numberToHex(now + 601), transactions: [] }),
      eth_call: () => numberToHex(0n, { size: 32 }),
      eth_getLogs: () => [],
    });
  });
  afterAll(() => rpc.stop());

  const agentOf = (execute: AgentClient['execute']) => ({
    client: { execute } as Partial<AgentClient> as AgentClient,
    rpcUrl: rpc.rpcUrl,
    addressBook,
  });

  it('default: what the service answers to the same request', async () => {
    const execute = jest.fn(() => Promise.resolve({ result: 'already_executed' } as ExecuteResponse));
    expect(await settleIntent(agentOf(execute), request)).toEqual({ result: 'already_executed' });
    expect(execute.mock.calls).toEqual([[request]]);
  });

  it('error: what the chain says, whatever the service refuses it for', async () => {
    const refused = new ApiError({ status: 400, error: 'x', code: 'PREFLIGHT_SIMULATION_FAILED' });
    const failed = settleIntent(
      agentOf(() => Promise.reject(refused)),
      request,
    );
    await expect(failed).rejects.toBeInstanceOf(IntentFailedError);
    await expect(failed).rejects.toMatchObject({ code: 'EXPIRED', cause: refused });
  });

  it('error: CHAIN_MISMATCH for a node of another chain, which would know nothing of it', async () => {
    chainId = 1;
    const execute = jest.fn();
    await expect(settleIntent(agentOf(execute), request)).rejects.toMatchObject({ code: 'CHAIN_MISMATCH' });
    expect(execute).not.toHaveBeenCalled();
  });
});
