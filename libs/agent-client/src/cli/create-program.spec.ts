import { createServer } from 'node:http';
import { vaultIdOf } from '@yield-vault/protocol';
import { listen, testAccount, testKey, type RunningServer } from '@yield-vault/testing';
import { recoverTypedDataAddress, type Hex } from 'viem';
import { otherVault, vault } from '../../test/support/book.js';
import { buildPrepared, soon, wallet } from '../../test/support/build-prepared.js';
import { useOwnNode } from '../../test/support/own-node.js';
import { runCli } from '../../test/support/run-cli.js';
import { sampleResponses } from '../../test/support/sample-responses.js';
import { toJson } from './io.js';

interface Requested {
  readonly path: string;
  readonly body: unknown;
}

interface Signed {
  readonly intentEnvelope: ReturnType<typeof buildPrepared>;
  readonly intentSignature: Hex;
}

const executePath = '/v1/yield/execute';

describe('node libs/agent-client/bin/yield-vault-agent.js', () => {
  const own = useOwnNode({ eth_getBlockByNumber: () => ({ number: '0x9', timestamp: '0x1' }) });
  const requested: Requested[] = [];
  let responses: Record<string, unknown> = {};
  let status = 200;
  let executeStatus = 200;
  let server: RunningServer;

  beforeAll(async () => {
    server = await listen(
      createServer((request, response) => {
        let text = '';
        request.on('data', (chunk) => (text += String(chunk)));
        request.on('end', () => {
          const path = request.url!;
          requested.push({ path, body: text && JSON.parse(text) });
          const code = path === executePath ? executeStatus : status;
          response.writeHead(code).end(JSON.stringify(responses[path.split('?')[0]!]));
        });
      }),
    );
  });
  afterAll(() => server.stop());
  beforeEach(() => {
    requested.length = 0;
    responses = {};
    status = executeStatus = 200;
  });

  const run = (args: readonly string[], input: unknown = '', env: Readonly<Record<string, string>> = {}) => {
    const service = `http://127.0.0.1:${server.port}`;
    return runCli([...args, '--local', '--url', service, '--rpc', own.url()], toJson(input), env);
  };
  const key = { PRIVATE_KEY: testKey('owner') };
  const prepared = () => ({
    needsSetup: false,
    execution: { intentEnvelope: buildPrepared({ expiry: soon() }) },
  });
  const request = ['deposit', '--vault', vault, '--amount', '25'];
  const sign = (
    document: unknown,
    more: readonly string[] = [],
    env: Readonly<Record<string, string>> = key,
  ) => run(['sign', '-', ...request, ...more], document, env);

  describe('sign', () => {
    it('default: signs what matches the request', async () => {
      const { code, out } = await sign(prepared());
      expect(code).toBe(0);
      const { intentEnvelope, intentSignature: signature } = JSON.parse(out) as Signed;
      expect(await recoverTypedDataAddress({ ...intentEnvelope.signing, signature })).toBe(wallet);
    });

    it('error: a tampered file is not signed', async () => {
      const tampered = prepared();
      const { userOperation } = tampered.execution.intentEnvelope.userOps[0]!;
      Object.assign(userOperation, { callData: userOperation.callData.replace(/.{64}$/, 'f'.repeat(64)) });
      const { code, out } = await sign(tampered);
      expect([code, out]).toEqual([1, '']);
    });

    it.each([
      ['without a request', ['sign', '-'], key],
      ['with the options of another operation', ['sign', '-', ...request, '--percentage', '50'], key],
      ['without a key', ['sign', '-', ...request], {}],
      ['with something else than a key', ['sign', '-', ...request], { PRIVATE_KEY: '0x12' }],
      ['with the key of another wallet', ['sign', '-', ...request], { PRIVATE_KEY: testKey('other') }],
      ['with a key as argument', ['sign', '-', ...request, '--private-key', key.PRIVATE_KEY], key],
    ])('error: refuses %s', async (_, args, env) => {
      const { code, out, notes } = await run(args, prepared(), env as Record<string, string>);
      expect([code > 0, out]).toEqual([true, '']);
      expect(notes).not.toContain(key.PRIVATE_KEY);
    });
  });

  describe('execute', () => {
    const body = { error: 'No', code: 'PREFLIGHT_FAILED', detail: 'Why', nextAction: 'Repeat.' };
    const refuse = (path: string) => {
      const [sample] = sampleResponses('POST /v1/yield/gasless-setup') as [{ execution: object }];
      const { intentEnvelope } = prepared().execution;
      const execution = { ...sample.execution, intentEnvelope };
      responses = { '/v1/yield/prepare': { ...sample, execution }, [path]: body };
    };

    // It can send the intent later, so a repetition could deposit twice.
    it.each([[[]], [['--json']]])('attack: the service refuses a signed intent %j', async (more) => {
      refuse(executePath);
      executeStatus = 400;
      const { code, out, notes } = await run(['execute', ...request, ...more], '', key);
      expect([code, JSON.parse(out)]).toEqual([3, requested.at(-1)!.body]);
      expect(notes).toMatch(/PREFLIGHT_FAILED[^]+Do not repeat the command/);
      const again = await run(['execute', '-', ...more], JSON.parse(out), key);
      expect([again.code, again.out]).toEqual([3, out]);
    });

    it('error: a refusal before the signature', async () => {
      refuse('/v1/yield/prepare');
      status = 400;
      const { code, out } = await run(['execute', ...request], '', key);
      expect([code, out]).toEqual([1, '']);
    });
  });

  it('behavior: prepare takes the id of a vault, which must be the id of its address', async () => {
    const id = vaultIdOf(8453, vault);
    const [report] = sampleResponses('GET /v1/yield/vaults/{vaultId}') as object[];
    const [sample] = sampleResponses('POST /v1/yield/prepare') as [{ strategy: object }];
    const response = { ...sample, strategy: { ...sample.strategy, riskLevel: 'low', apyNow: 4.1 } };
    const args = ['prepare', 'redeem', '--vault', id, '--percentage', '100', '--wallet', wallet];
    responses = {
      [`/v1/yield/vaults/${id}`]: { ...report, vaultAddress: vault },
      '/v1/yield/prepare': response,
    };
    const { code, out, notes } = await run(args);
    expect([code, notes]).toEqual([0, '']);
    expect(JSON.parse(out)).toEqual(response);
    expect(requested.at(-1)!.body).toEqual({
      operation: 'redeem',
      asset: 'USDC',
      percentage: 100,
      chain: 'base',
      agentAddress: wallet,
      vaultId: id,
    });
    responses = { ...responses, [`/v1/yield/vaults/${id}`]: { ...report, vaultAddress: otherVault } };
    expect((await run(args)).code).toBe(2);
  });

  it('behavior: discover prints a line for each vault, without control characters, and JSON that means the same', async () => {
    const [sample] = sampleResponses('POST /v1/yield/discover') as [{ vaults: [object] }];
    const response = { ...sample, vaults: [{ ...sample.vaults[0], name: 'A\u001b[2J\u009b\u202eB' }] };
    responses = { '/v1/yield/discover': response };
    const args = ['discover', '--asset', 'USDC', '--risk', 'low', '--min-apy', '2', '--limit', '3'];
    expect((await run(args)).out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(requested[0]!.body).toEqual({
      chain: 'base',
      asset: 'USDC',
      riskTolerance: 'low',
      minApy: 2,
      limit: 3,
    });
    const { out } = await run([...args, '--json']);
    expect(out).toMatch(/^[\n\x20-\x7e]+$/);
    expect(JSON.parse(out)).toEqual(response);
  });

  it('behavior: status of several wallets is one request', async () => {
    const other = testAccount('other').address;
    const totals = { totalValueUsd: 0, totalDeposited: 0, totalYieldEarned: 0, totalGasPaidUsd: 0 };
    const positions = { positions: [], ...totals, positionCount: 0, wallets: {} };
    responses = { '/v1/yield/status': positions, '/v1/yield/status/batch': { wallets: [] } };
    await run(['status', wallet]);
    await run(['status', wallet, other]);
    const paths = requested.map(({ path, body }) => [path, body]);
    expect(paths[0]).toEqual([`/v1/yield/status?userAddress=${wallet}`, '']);
    expect(paths.slice(1)).toEqual([['/v1/yield/status/batch', { userAddresses: [wallet, other] }]]);
  });

  it.each([
    ['a refusal', 400, 'UNKNOWN_VAULT', false, 1],
    ['a payment', 402, 'PAYMENT_REQUIRED', false, 1],
    ['a pending outcome', 503, 'TRANSACTION_PENDING', false, 3],
    ['an error of the service', 500, 'INTERNAL', false, 4],
  ])('error: %s', async (_, httpStatus, code, retryable, expected) => {
    status = httpStatus;
    const body = { error: 'No', code, detail: 'Why', nextAction: 'Do that.', details: { a: 1 }, retryable };
    responses = { '/v1/yield/vaults/1': body };
    const failed = await run(['explain', '1', '--json']);
    expect([failed.code, failed.out]).toEqual([expected, '']);
    const { error: _error, retryable: _retryable, ...shown } = body;
    expect(JSON.parse(failed.notes)).toEqual(shown);
  });

  it.each([
    [[], 2],
    [['--help'], 0],
    [['sign', '--help'], 0],
    [['discover', '--limit', 'many'], 2],
    [['discover', '--url', 'ftp://service'], 2],
    [['discover', '--max-price', '0.05'], 2],
  ])('behavior: %j ends with %d', async (args, expected) => {
    const { code } = await runCli(args);
    expect(code).toBe(expected);
  });
});
