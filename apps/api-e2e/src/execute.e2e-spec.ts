import { canonical, suite } from '@yield-vault/contracts';
import type { ExecuteRequest } from '@yield-vault/protocol';
import { encodeAccountCall, encodeExecutorHooks } from '@yield-vault/smart-account';
import {
  concat,
  createPublicClient,
  encodeFunctionData,
  encodePacked,
  erc20Abi,
  http,
  pad,
  parseAbi,
  zeroHash,
  type Address,
  type Hex,
} from 'viem';
import { generatePrivateKey } from 'viem/accounts';
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
import { startRpcProxy, type RpcProxy } from '../test/support/start-rpc-proxy.js';
import { startServer, type Server } from '../test/support/start-server.js';

const usdc = canonical.usdc[8453];
const stranger: Address = '0x3000000000000000000000000000000000000003';
const otherHash: Hex = `0x${'12'.repeat(32)}`;
const accountAbi = parseAbi(['function execute(bytes32 mode, bytes executionCalldata) payable']);
const executorAbi = parseAbi(['function execute(bytes entries)']);

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
const operationField =
  (field: string, value: unknown) =>
  ({ request }: Good) => {
    const { userOperation } = request.intentEnvelope.userOps[0]!;
    const changed = { ...userOperation, [field]: value };
    return {
      ...request,
      intentEnvelope: { ...request.intentEnvelope, userOps: [{ userOperation: changed }] },
    };
  };
const signing =
  (part: 'domain' | 'types' | 'message' | '', change: object) =>
  ({ request }: Good) => {
    const block = request.intentEnvelope.signing!;
    const changed =
      part === '' ? { ...block, ...change } : { ...block, [part]: { ...block[part], ...change } };
    return { ...request, intentEnvelope: { ...request.intentEnvelope, signing: changed } };
  };
const callData = (make: (good: Good) => Hex) => (good: Good) =>
  good.forge({ operation: { callData: make(good) } });
const accountCall = (target: Address, data: Hex, { mode = zeroHash as Hex, value = 0n } = {}) =>
  encodeFunctionData({
    abi: accountAbi,
    args: [mode, encodePacked(['address', 'uint256', 'bytes'], [target, value, data])],
  });
const hooks = (entries: Hex) => encodeFunctionData({ abi: executorAbi, args: [entries] });
const deposit = (vault: Address, token: Address = usdc) =>
  ({ hook: 'deposit', vault, token, amount: 1_000_000n, minShares: 1n }) as const;

const invalidParameters: readonly Case[] = [
  ['an unknown property of the body', ({ request }) => ({ ...request, extra: 1 })],
  ['no envelope', ({ request: { intentSignature } }) => ({ intentSignature })],
  ['an envelope that is a list', ({ request }) => ({ ...request, intentEnvelope: [request.intentEnvelope] })],
  ['no signature', ({ request: { intentEnvelope } }) => ({ intentEnvelope })],
  ['a signature that is not hex', ({ request }) => ({ ...request, intentSignature: '0xzz' })],
  ['a signature that is a number', ({ request }) => ({ ...request, intentSignature: 1 })],
  ['an unknown property of the envelope', envelope({ extra: 1 })],
  ['another version', envelope({ version: '2' })],
  ['a version that is a number', envelope({ version: 1 })],
  ['no version', without('version')],
  ['chain id 0', envelope({ chainId: 0 })],
  ['a chain id that is text', envelope({ chainId: '8453' })],
  ['a chain id beyond safe integers', envelope({ chainId: 2 ** 53 })],
  ['an entry point of 19 bytes', envelope({ entryPoint: `0x${'11'.repeat(19)}` })],
  ['no operation', envelope({ userOps: [] })],
  ['operations that are no list', envelope({ userOps: {} })],
  ['an operation that is null', envelope({ userOps: [{ userOperation: null }] })],
  ['an operation without sender', operationField('sender', undefined)],
  ['an operation with a short sender', operationField('sender', '0x1234')],
  ['an operation with an empty nonce', operationField('nonce', '')],
  ['an operation with a nonce that is a number', operationField('nonce', 1)],
  ['an operation with a nonce that is no number', operationField('nonce', 'first')],
  ['an operation without call data', operationField('callData', undefined)],
  ['an operation with call data that is not hex', operationField('callData', 'deposit')],
  ['an operation without signature', operationField('signature', undefined)],
  ['a gas limit that is a number', operationField('callGasLimit', 100_000)],
  ['a root of 33 bytes', envelope({ merkleRoot: `0x${'12'.repeat(33)}` })],
  ['a root of 31 bytes', envelope({ merkleRoot: `0x${'12'.repeat(31)}` })],
  ['no root', without('merkleRoot')],
  ['a proof of 33 bytes', envelope({ proofs: [[`0x${'12'.repeat(33)}`]] })],
  ['proofs that are not nested', envelope({ proofs: [otherHash] })],
  ['destination executions that are no list', envelope({ destinationExecutions: {} })],
  ['a negative expiry', envelope({ expiry: -1 })],
  ['an expiry that is no integer', envelope({ expiry: 1.5 })],
  ['an expiry that is text', envelope({ expiry: '1900000000' })],
  ['no expiry', without('expiry')],
  ['no validAfter', without('validAfter')],
  ['another primary type', signing('', { primaryType: 'Permit' })],
  ['an unknown property of the domain', signing('domain', { salt: otherHash })],
  ['a domain without verifying contract', signing('domain', { verifyingContract: undefined })],
  ['an unknown type', signing('types', { Permit: [] })],
  ['an unknown property of the message', signing('message', { nonce: 1 })],
  ['a message root of 33 bytes', signing('message', { merkleRoot: `0x${'12'.repeat(33)}` })],
];

const refusedByPolicy: Readonly<Record<string, readonly Case[]>> = {
  INTENT_ID_MISMATCH: [
    ['intentId of the body', ({ request }) => ({ ...request, intentId: otherHash })],
    ['intentId of the envelope', envelope({ intentId: otherHash })],
  ],
  MERKLE_ROOT_MISMATCH: [
    [
      'another root',
      ({ request }) => {
        const { intentId: _, signing: __, ...rest } = request.intentEnvelope;
        return { ...request, intentEnvelope: { ...rest, merkleRoot: otherHash } };
      },
    ],
    ['other call data under the same root', operationField('callData', '0x')],
    ['another gas limit under the same root', operationField('callGasLimit', '1')],
    ['another nonce under the same root', operationField('nonce', '1')],
  ],
  INVALID_PROOF: [
    ['a proof that leads elsewhere', envelope({ proofs: [[otherHash]] })],
    ['two proofs for one operation', envelope({ proofs: [[], []] })],
  ],
  INVALID_SIGNATURE: [
    ['a foreign signer', ({ forge }) => forge({}, generatePrivateKey())],
    [
      'a cut signature',
      ({ request }) => ({ ...request, intentSignature: request.intentSignature.slice(0, 130) }),
    ],
    [
      'a longer signature',
      ({ request }) => ({ ...request, intentSignature: `${request.intentSignature}00` }),
    ],
    ['an empty signature', ({ request }) => ({ ...request, intentSignature: '0x' })],
    [
      'a validatorSig of nobody',
      ({ request }) => {
        const [op] = request.intentEnvelope.userOps;
        const userOps = [{ ...op, validatorSig: `0x${'11'.repeat(65)}` }];
        return { ...request, intentEnvelope: { ...request.intentEnvelope, userOps } };
      },
    ],
  ],
  INTENT_EXPIRED: [
    ['an expired intent', ({ forge }) => forge({ expiry: Math.floor(Date.now() / 1000) - 5 })],
  ],
  INTENT_NOT_YET_VALID: [
    [
      'an intent of the future',
      ({ forge }) => {
        const validAfter = Math.floor(Date.now() / 1000) + 300;
        return forge({ validAfter, expiry: validAfter + 300 });
      },
    ],
  ],
  INVALID_EXPIRY: [
    ['expiry 0', envelope({ expiry: 0 })],
    ['an expiry above 48 bits', envelope({ expiry: 2 ** 48 })],
    ['a validAfter above 48 bits', envelope({ validAfter: 2 ** 48 })],
  ],
  CHAIN_NOT_ACTIVE: [['an inactive chain', ({ forge }) => forge({ chainId: 10 })]],
  WRONG_ENTRY_POINT: [['another entry point', ({ forge }) => forge({ entryPoint: stranger })]],
  SENDER_MISMATCH: [['another sender of the envelope', envelope({ sender: stranger })]],
  SIGNING_MISMATCH: [
    ['another domain name', signing('domain', { name: 'Permit2' })],
    ['another verifying contract', signing('domain', { verifyingContract: stranger })],
    ['another message root', signing('message', { merkleRoot: otherHash })],
    ['another message expiry', signing('message', { expiry: 1_900_000_000 })],
    ['other type fields', signing('types', { Intent: [{ name: 'merkleRoot', type: 'bytes32' }] })],
  ],
  WRONG_NONCE_KEY: [
    ['the nonce key of another validator', ({ forge }) => forge({ operation: { nonce: 0n } })],
  ],
  WRONG_PAYMASTER: [
    ['another paymaster', ({ forge }) => forge({ operation: { paymaster: stranger } })],
    ['no paymaster', ({ forge }) => forge({ operation: { paymaster: undefined } })],
  ],
  CALLDATA_NOT_ALLOWED: [
    ['no call data', callData(() => '0x')],
    [
      'a transfer of USDC',
      callData(() =>
        accountCall(
          usdc,
          encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [stranger, 1n] }),
        ),
      ),
    ],
    ['a call of another executor', callData(({ vault }) => encodeAccountCall(stranger, [deposit(vault)]))],
    [
      'a batch',
      callData(({ vault }) =>
        accountCall(suite.executor, hooks(encodeExecutorHooks([deposit(vault)])), {
          mode: pad('0x01', { dir: 'right', size: 32 }),
        }),
      ),
    ],
    [
      'a call with ETH',
      callData(({ vault }) =>
        accountCall(suite.executor, hooks(encodeExecutorHooks([deposit(vault)])), { value: 1n }),
      ),
    ],
    ['no hook', callData(() => accountCall(suite.executor, hooks('0x')))],
    ['an unknown hook', callData(() => accountCall(suite.executor, hooks('0x7f')))],
    ['a cut hook', callData(() => accountCall(suite.executor, hooks('0x0112')))],
    [
      'bytes behind the call',
      callData(({ vault }) => concat([encodeAccountCall(suite.executor, [deposit(vault)]), '0x00'])),
    ],
    [
      'a deposit of what no hook brought',
      callData(({ vault }) => encodeAccountCall(suite.executor, [{ ...deposit(vault), amount: 'previous' }])),
    ],
  ],
  UNLISTED_VAULT: [
    ['a vault that nobody knows', callData(() => encodeAccountCall(suite.executor, [deposit(stranger)]))],
    [
      'a vault with another asset',
      callData(({ vault }) => encodeAccountCall(suite.executor, [deposit(vault, canonical.weth[8453])])),
    ],
  ],
  UNSUPPORTED_ENVELOPE: [
    [
      'two operations',
      ({ request }) => {
        const { userOps } = request.intentEnvelope;
        return {
          ...request,
          intentEnvelope: { ...request.intentEnvelope, userOps: [...userOps, ...userOps] },
        };
      },
    ],
    ['a destination execution', envelope({ destinationExecutions: [{ any: 'shape' }] })],
    ['an authorization request', envelope({ eip7702AuthRequest: { any: 'shape' } })],
    [
      'an authorization',
      ({ request }) => {
        const [op] = request.intentEnvelope.userOps;
        const userOps = [{ ...op, eip7702Auth: { any: 'shape' } }];
        return { ...request, intentEnvelope: { ...request.intentEnvelope, userOps } };
      },
    ],
    ['initCode', operationField('initCode', '0x7702')],
  ],
};

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
    const answer = await api.refused('POST', '/v1/yield/execute', body);
    expect(answer.status).toBe(400);
    expect(bundler.callsOf('eth_sendUserOperation')).toEqual([]);
    return answer.body;
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

  for (const [reason, cases] of Object.entries(refusedByPolicy)) {
    describe(`error: TRANSACTION_VALIDATION_FAILED, ${reason}`, () => {
      it.each(cases)('%s', async (_, make) => {
        expect(await refused(make)).toMatchObject({
          code: 'TRANSACTION_VALIDATION_FAILED',
          error: 'Transaction validation failed',
          details: { reason },
        });
      });
    });
  }

  it('behavior: none of that touched the chain, and the intent they were made from still executes', async () => {
    const { base } = devnetChains();
    const client = createPublicClient({ transport: http(base.rpcUrl) });
    const nonce = await client.readContract({
      address: base.entryPoint,
      abi: parseAbi(['function getNonce(address sender, uint192 key) view returns (uint256)']),
      functionName: 'getNonce',
      args: [agent.address, BigInt(suite.validator) << 32n],
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
    const answers = await Promise.all(Array.from({ length: 6 }, () => api.execute(request)));
    expect(answers.filter(({ result }) => result === 'executed')).toHaveLength(1);
    expect(new Set(answers.map(({ txHash, userOpHash }) => txHash + userOpHash)).size).toBe(1);
    expect(bundler.callsOf('eth_sendUserOperation')).toHaveLength(sent + 1);
  });

  it('error: a stale nonce is AA25 and changes nothing', async () => {
    const [first, second] = [
      await signedDeposit(api, agent, vaultId),
      await signedDeposit(api, agent, vaultId, '6'),
    ];
    await api.execute(first);
    const { status, body } = await api.refused('POST', '/v1/yield/execute', second);
    expect([status, body.code]).toEqual([400, 'TRANSACTION_SUBMISSION_FAILED']);
    expect(body.details['aaCode']).toBe('AA25');
  });
});
