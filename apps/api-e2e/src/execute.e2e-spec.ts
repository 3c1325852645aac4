import { canonical, localContracts } from '@yield-vault/contracts';
import type { ExecuteRequest } from '@yield-vault/protocol';
import { encodeAccountCall } from '@yield-vault/smart-account';
import {
  createPublicClient,
  encodeFunctionData,
  encodePacked,
  erc20Abi,
  http,
  parseAbi,
  zeroHash,
  type Address,
  type Hex,
} from 'viem';
import { generatePrivateKey } from 'viem/accounts';
import { startRpcProxy, type RpcProxy } from '@yield-vault/testing';
import { createApiClient, type ApiClient } from '../test/support/api-client.js';
import { devnetChains } from '../test/support/devnet.js';
import { forgeIntent, type Forgery } from '../test/support/forge-intent.js';
import {
  fundedAgent,
  setUp,
  signedDeposit,
  usdcVault,
  type FundedAgent,
} from '../test/support/funded-agent.js';
import { startServer, type Server } from '../test/support/start-server.js';

const usdc = canonical.usdc[8453];
const stranger: Address = '0x3000000000000000000000000000000000000003';
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;
const otherHash: Hex = `0x${'12'.repeat(32)}`;
const accountAbi = parseAbi([
  'function execute(bytes32 mode, bytes executionCalldata) payable',
  'function runHooks(bytes entries)',
]);

interface Good {
  readonly request: { intentEnvelope: ExecuteRequest['intentEnvelope']; intentSignature: Hex };
  /** Change the envelope, recompute what depends on it, sign it with the wallet's key or another. */
  forge(forgery: Forgery, privateKey?: Hex): Promise<object>;
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
const callData = (make: (good: Good) => Hex) => (good: Good) =>
  good.forge({ operation: { callData: make(good) } });
const execution = (target: Address, data: Hex) =>
  encodeFunctionData({
    abi: accountAbi,
    functionName: 'execute',
    args: [zeroHash, encodePacked(['address', 'uint256', 'bytes'], [target, 0n, data])],
  });
const transfer = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [stranger, 1n] });
const hooks = (entries: Hex) =>
  encodeFunctionData({ abi: accountAbi, functionName: 'runHooks', args: [entries] });
const deposit = (vault: Address) =>
  ({ hook: 'deposit', vault, token: usdc, amount: 1_000_000n, minShares: 1n }) as const;
const depositCall = (vault: Address) => encodeAccountCall([deposit(vault)]);

// All rules of the form are in apps/api/test/http/execute.spec.ts.
const invalidParameters: readonly Case[] = [
  ['an unknown property of the body', ({ request }) => ({ ...request, extra: 1 })],
  ['no signature', ({ request: { intentEnvelope } }) => ({ intentEnvelope })],
  ['no version', without('version')],
  ['an operation without call data', operationField('callData', undefined)],
  ['a root of 33 bytes', envelope({ merkleRoot: `0x${'12'.repeat(33)}` })],
  ['an unknown property of the message', signing('message', { nonce: 1 })],
];

// Every rule with all its cases is in libs/execution-relay/src/intent.spec.ts; here is one case of each.
const refusedByPolicy: readonly (readonly [reason: string, ...Case])[] = [
  ['INTENT_ID_MISMATCH', 'intentId of the body', ({ request }) => ({ ...request, intentId: otherHash })],
  ['MERKLE_ROOT_MISMATCH', 'other call data under the same root', operationField('callData', '0x')],
  ['INVALID_PROOF', 'a proof that leads elsewhere', envelope({ proofs: [[otherHash]] })],
  ['INVALID_SIGNATURE', 'a foreign signer', ({ forge }) => forge({}, generatePrivateKey())],
  ['INTENT_EXPIRED', 'an expired intent', ({ forge }) => forge({ expiry: inSeconds(-5) })],
  [
    'INTENT_NOT_YET_VALID',
    'an intent of the future',
    ({ forge }) => forge({ validAfter: inSeconds(300), expiry: inSeconds(600) }),
  ],
  ['INVALID_EXPIRY', 'an expiry above 48 bits', envelope({ expiry: 2 ** 48 })],
  ['CHAIN_NOT_ACTIVE', 'an inactive chain', ({ forge }) => forge({ chainId: 10 })],
  ['WRONG_ENTRY_POINT', 'another entry point', ({ forge }) => forge({ entryPoint: stranger })],
  ['SENDER_MISMATCH', 'another sender of the envelope', envelope({ sender: stranger })],
  ['SIGNING_MISMATCH', 'another verifying contract', signing('domain', { verifyingContract: stranger })],
  ['WRONG_NONCE_KEY', 'another nonce key', ({ forge }) => forge({ operation: { nonce: 0n } })],
  ['WRONG_PAYMASTER', 'another paymaster', ({ forge }) => forge({ operation: { paymaster: stranger } })],
  ['CALLDATA_NOT_ALLOWED', 'a transfer of USDC', callData(() => execution(usdc, transfer))],
  ['CALLDATA_NOT_ALLOWED', 'no hook', callData(() => hooks('0x'))],
  ['CALLDATA_NOT_ALLOWED', 'an unknown hook', callData(() => hooks('0x7f'))],
  ['CALLDATA_NOT_ALLOWED', 'a cut hook', callData(() => hooks('0x0112'))],
  ['UNLISTED_VAULT', 'a vault that nobody knows', callData(() => depositCall(stranger))],
  ['UNSUPPORTED_ENVELOPE', 'an authorization', userOp({ eip7702Auth: { any: 'shape' } })],
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
      forge: (forgery, privateKey = agent.privateKey) =>
        forgeIntent(request.intentEnvelope, privateKey, forgery),
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

  it.each(refusedByPolicy)('error: TRANSACTION_VALIDATION_FAILED, %s, for %s', async (reason, _, make) => {
    expect(await refused(make)).toMatchObject({
      code: 'TRANSACTION_VALIDATION_FAILED',
      error: 'Transaction validation failed',
      details: { reason },
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

  it('error: a stale nonce is AA25 and changes nothing', async () => {
    const [first, second] = [
      await signedDeposit(api, agent, vaultId),
      await signedDeposit(api, agent, vaultId, '6'),
    ];
    await api.execute(first);
    const { status, body } = await api.refused('POST', '/v1/yield/execute', second);
    expect([status, body.code]).toEqual([400, 'PREFLIGHT_SIMULATION_FAILED']);
    expect(body.details['aaCode']).toBe('AA25');
  });
});
