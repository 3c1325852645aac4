import { localContracts } from '@yield-vault/contracts';
import type { ExecuteRequest } from '@yield-vault/protocol';
import { createPublicClient, http, parseAbi, type Address, type Hex } from 'viem';
import { startRpcProxy, type RpcProxy } from '@yield-vault/testing';
import { createApiClient, type ApiClient } from '../test/support/api-client.js';
import { devnetChains } from '../test/support/devnet.js';
import {
  fundedAgent,
  setUp,
  signedDeposit,
  usdcVault,
  type FundedAgent,
} from '../test/support/funded-agent.js';
import { startServer, type Server } from '../test/support/start-server.js';

interface Good {
  readonly request: { intentEnvelope: ExecuteRequest['intentEnvelope']; intentSignature: Hex };
  readonly vault: Address;
}
type Case = readonly [name: string, make: (good: Good) => object | Promise<object>];

const envelope =
  (change: object) =>
  ({ request }: Good) => ({
    ...request,
    intentEnvelope: { ...request.intentEnvelope, ...change },
  });
const without =
  (field: string) =>
  ({ request }: Good) => {
    const { [field as 'version']: _, ...rest } = request.intentEnvelope;
    return { ...request, intentEnvelope: rest };
  };
const userOp =
  (change: object) =>
  ({ request }: Good) => {
    const userOps = [{ ...request.intentEnvelope.userOps[0], ...change }];
    return { ...request, intentEnvelope: { ...request.intentEnvelope, userOps } };
  };
const operationField = (field: string, value: unknown) => (good: Good) => {
  const { userOperation } = good.request.intentEnvelope.userOps[0]!;
  return userOp({ userOperation: { ...userOperation, [field]: value } })(good);
};
const signing =
  (part: 'domain' | 'types' | 'message', change: object) =>
  ({ request }: Good) => {
    const block = request.intentEnvelope.signing!;
    const changed = { ...block, [part]: { ...block[part], ...change } };
    return { ...request, intentEnvelope: { ...request.intentEnvelope, signing: changed } };
  };
// All rules of the form are in apps/api/test/http/execute.spec.ts.
const invalidParameters: readonly Case[] = [
  ['an unknown property of the body', ({ request }) => ({ ...request, extra: 1 })],
  ['no signature', ({ request: { intentEnvelope } }) => ({ intentEnvelope })],
  ['no version', without('version')],
  ['an operation without call data', operationField('callData', undefined)],
  ['a root of 33 bytes', envelope({ merkleRoot: `0x${'12'.repeat(33)}` })],
  ['an unknown property of the message', signing('message', { nonce: 1 })],
];

describe('POST /v1/yield/execute', () => {
  let server: Server;
  let api: ApiClient;
  let bundler: RpcProxy;
  let agent: FundedAgent;
  let vaultId: string;
  let good: Good;

  beforeAll(async () => {
    const { base } = devnetChains();
    bundler = await startRpcProxy(base.bundlerUrl);
    server = await startServer({
      backfillHours: 48,
      upstreams: { base: { rpcUrl: base.rpcUrl, bundlerUrl: bundler.url } },
    });
    api = await createApiClient(server.url);
    agent = await fundedAgent();
    const vault = await usdcVault(api);
    vaultId = vault.vaultId;
    await setUp(api, agent, vaultId);
    const request = await signedDeposit(api, agent, vaultId);
    good = {
      request,
      vault: vault.vaultAddress,
    };
  }, 60_000);
  afterAll(async () => {
    await server?.stop();
    await bundler?.stop();
  });

  const refused = async (make: Case[1]) => {
    const body = await make(good);
    const response = await api.refused('POST', '/v1/yield/execute', body);
    expect(response.status).toBe(400);
    expect(bundler.callsOf('eth_sendUserOperation')).toEqual([]);
    return response.body;
  };

  describe('error: INVALID_PARAMETERS', () => {
    it.each(invalidParameters)('%s', async (_, make) => {
      expect(await refused(make)).toMatchObject({
        code: 'INVALID_PARAMETERS',
        error: 'Invalid request parameters',
        details: {
          violations: expect.arrayContaining([{ field: expect.any(String), message: expect.any(String) }]),
        },
      });
    });
  });

  it('behavior: none of that touched the chain, and the intent they were made from still executes', async () => {
    const { base } = devnetChains();
    const client = createPublicClient({ transport: http(base.rpcUrl) });
    const nonce = await client.readContract({
      address: base.entryPoint,
      abi: parseAbi(['function getNonce(address sender, uint192 key) view returns (uint256)']),
      functionName: 'getNonce',
      args: [agent.address, BigInt(localContracts.validator) << 32n],
    });
    expect(BigInt.asUintN(64, nonce)).toBe(0n);
    expect(await agent.shareBalance(good.vault)).toBe(0n);
    // Derived fields may be absent.
    const { intentId: _, entryPoint: __, sender: ___, signing: ____, ...bare } = good.request.intentEnvelope;
    const request = { ...good.request, intentEnvelope: { ...bare, proofs: [] } };
    expect(await api.execute(request)).toMatchObject({ result: 'executed', receipt: { status: 'success' } });
    expect(await api.execute(good.request)).toMatchObject({ result: 'already_executed' });
    expect(bundler.callsOf('eth_sendUserOperation')).toHaveLength(1);
  });

  it('behavior: of many equal calls at once exactly one executes, all with the same hashes', async () => {
    const request = await signedDeposit(api, agent, vaultId);
    const sent = bundler.callsOf('eth_sendUserOperation').length;
    const responses = await Promise.all(Array.from({ length: 6 }, () => api.execute(request)));
    expect(responses.filter(({ result }) => result === 'executed')).toHaveLength(1);
    expect(new Set(responses.map(({ txHash, userOpHash }) => txHash + userOpHash)).size).toBe(1);
    expect(bundler.callsOf('eth_sendUserOperation')).toHaveLength(sent + 1);
  });
});
