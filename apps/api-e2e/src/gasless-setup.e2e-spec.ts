import { canonical, entryPointV08Abi } from '@yield-vault/contracts';
import { fundWallet } from '@yield-vault/devnet';
import { gaslessSetupPath, type ExecuteRequest, type GaslessSetupRequest } from '@yield-vault/protocol';
import { startRpcProxy, type RpcProxy } from '@yield-vault/testing';
import { Contract, hexlify, randomBytes, Wallet } from 'ethers';
import { createPublicClient, http, type Address, type Hex } from 'viem';
import { createApiClient, type ApiClient } from '../test/support/api-client.js';
import { devnetChains } from '../test/support/devnet.js';
import { usdcVault } from '../test/support/funded-agent.js';
import {
  completeGasless,
  createGaslessWallet,
  prepareGasless,
  signGasless,
  signGaslessIntent,
  type GaslessWallet,
  type SignatureChanges,
} from '../test/support/gasless-wallet.js';
import { startServer, type Server } from '../test/support/start-server.js';

const stranger: Address = '0x3000000000000000000000000000000000000003';
const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const word = (value: bigint) => value.toString(16).padStart(64, '0');

let server: Server;
let api: ApiClient;
let bundlers: Record<'base' | 'ethereum', RpcProxy>;

beforeAll(async () => {
  const chains = devnetChains();
  const [base, ethereum] = await Promise.all(
    [chains.base, chains.ethereum].map(({ bundlerUrl }) => startRpcProxy(bundlerUrl)),
  );
  bundlers = { base: base!, ethereum: ethereum! };
  server = await startServer({
    backfillHours: 48,
    requestsPerMinute: 100_000,
    upstreams: {
      base: { rpcUrl: chains.base.rpcUrl, bundlerUrl: base!.url },
      ethereum: { rpcUrl: chains.ethereum.rpcUrl, bundlerUrl: ethereum!.url },
    },
  });
  api = await createApiClient(server.url);
}, 90_000);
afterAll(async () => {
  await server?.stop();
  await Promise.all(Object.values(bundlers ?? {}).map((proxy) => proxy.stop()));
});

const sends = (chain: 'base' | 'ethereum') => bundlers[chain].callsOf('eth_sendUserOperation');
const sendsOf = (chain: 'base' | 'ethereum', wallet: string) =>
  sends(chain).filter(({ params: [operation] }) => (operation as { sender: string }).sender === wallet);

/** Operations of a wallet that the chain included. */
async function included(chain: 'base' | 'ethereum', sender: string) {
  const { rpcUrl, entryPoint } = devnetChains()[chain];
  const events = await createPublicClient({ transport: http(rpcUrl) }).getContractEvents({
    ...{ address: entryPoint, abi: entryPointV08Abi, eventName: 'UserOperationEvent' },
    ...{ args: { sender: sender as Address }, fromBlock: 'earliest', strict: true },
  });
  return events.map(({ args }) => args.success);
}

/** Let a wallet receive all its USDC by an EIP-3009 authorization of somebody who pays. */
async function receiveByAuthorization({ wallet, provider }: GaslessWallet): Promise<void> {
  const chain = devnetChains().base;
  const payer = new Wallet(Wallet.createRandom().privateKey, provider);
  await fundWallet(chain, payer.address as Address, { ethWei: 10n ** 16n, usdc: 50_000_000n });
  const fields = ['address from', 'address to', 'uint256 value', 'uint256 validAfter', 'uint256 validBefore'];
  const types = [...fields, 'bytes32 nonce'].map((field) => {
    const [type = '', name = ''] = field.split(' ');
    return { name, type };
  });
  const verifyingContract = canonical.usdc[8453];
  const terms = {
    ...{ from: payer.address, to: wallet.address, value: 50_000_000n, validAfter: 0n },
    ...{ validBefore: 2n ** 48n, nonce: hexlify(randomBytes(32)) },
  };
  const domain = { name: 'USD Coin', version: '2', chainId: chain.chainId, verifyingContract };
  const signature = await payer.signTypedData(domain, { TransferWithAuthorization: types }, terms);
  const abi = [
    `function transferWithAuthorization(${[...fields, 'bytes32 nonce'].join(', ')}, bytes signature)`,
  ];
  const transfer = new Contract(verifyingContract, abi, payer).getFunction('transferWithAuthorization');
  const sent = (await transfer(...Object.values(terms), signature)) as { wait(): Promise<unknown> };
  await sent.wait();
}

describe.each([
  ['base', 'minted USDC'],
  ['ethereum', 'minted USDC'],
  ['base', 'USDC from transferWithAuthorization'],
] as const)('a wallet on %s with %s and no ether', (chain, origin) => {
  it('default: deposits by one operation, and redeems one half and the rest', async () => {
    const { vaultId, vaultAddress } = await usdcVault(api, chain);
    const isMinted = origin === 'minted USDC';
    const agent = await createGaslessWallet(devnetChains()[chain], vaultId, isMinted ? {} : { usdc: 0n });
    if (!isMinted) await receiveByAuthorization(agent);
    const { wallet, provider, balanceOf } = agent;
    expect(await provider.getBalance(wallet.address)).toBe(0n);

    const { setupType, gaslessSetup } = await prepareGasless(api, agent);
    expect([setupType, gaslessSetup.endpoint]).toEqual(['full', gaslessSetupPath]);
    const completed = await completeGasless(api, await signGasless(agent, gaslessSetup));
    const [item] = completed.execution.intentEnvelope.userOps;
    expect(item).toMatchObject({ userOperation: { initCode: '0x7702' } });
    expect(sendsOf(chain, wallet.address)).toHaveLength(0);

    const request = await signGaslessIntent(agent, completed);
    const response = await api.execute(request);
    expect(response).toMatchObject({ result: 'executed', receipt: { status: 'success' } });
    expect(await api.execute(request)).toEqual({ ...response, result: 'already_executed' });
    expect(sendsOf(chain, wallet.address)).toHaveLength(1);
    expect(await included(chain, wallet.address)).toEqual([true]);
    const { positions } = await api.status(wallet.address);
    expect(positions).toMatchObject([{ vaultId, chain, depositedAmount: '25' }]);

    const shares = await balanceOf(vaultAddress);
    for (const [percentage, left] of [
      [50, shares - shares / 2n],
      [100, 0n],
    ] as const) {
      const prepared = await api.prepare({
        ...{ operation: 'redeem', chain, agentAddress: wallet.address, vaultId, percentage },
      });
      if (prepared.needsSetup) throw new Error('The wallet is not set up');
      expect(await api.execute(await signGaslessIntent(agent, prepared))).toMatchObject({
        result: 'executed',
      });
      expect(await balanceOf(vaultAddress)).toBe(left);
    }
    expect((await api.status(wallet.address)).positions).toEqual([]);
    expect(await provider.getBalance(wallet.address)).toBe(0n);
  });
});

interface Good {
  readonly agent: GaslessWallet;
  readonly request: GaslessSetupRequest;
  /** Sign something else. */
  sign(changes: SignatureChanges): Promise<GaslessSetupRequest>;
}
type Make = (good: Good) => object | Promise<object>;

const signed =
  (changes: SignatureChanges): Make =>
  ({ sign }) =>
    sign(changes);
const authorization =
  (change: (given: NonNullable<GaslessSetupRequest['authorization']>) => object): Make =>
  ({ request }) => ({
    ...request,
    authorization: { ...request.authorization!, ...change(request.authorization!) },
  });
const other = new Wallet(Wallet.createRandom().privateKey);
const highS = (s: Hex): Hex => `0x${word(curveOrder - BigInt(s))}`;
const isWrong = (failedCheck: string) => ['SETUP_TRANSACTION_REJECTED', { failedCheck }] as const;
const auth = isWrong('auth-list-valid');
const permit = isWrong('permit-valid');

const wrongSignatures: readonly (readonly [string, readonly [string, object], Make])[] = [
  ['authorization of another wallet', auth, signed({ authorizationSigner: other })],
  ['authorization for another chain', auth, signed({ authorization: { chainId: 1 } })],
  ['authorization for every chain', auth, signed({ authorization: { chainId: 0 } })],
  [
    'authorization for another implementation',
    auth,
    signed({ authorization: { contractAddress: stranger } }),
  ],
  ['authorization with another nonce', auth, signed({ authorization: { nonce: 1 } })],
  ['authorization with a changed nonce', auth, authorization(() => ({ nonce: 1 }))],
  [
    'authorization with a high s',
    auth,
    authorization(({ yParity, s }) => ({ yParity: 1 - yParity, s: highS(s) })),
  ],
  ['authorization with the other parity', auth, authorization(({ yParity }) => ({ yParity: 1 - yParity }))],
  ['no authorization', auth, ({ request: { authorization: _, ...rest } }) => rest],
  ['permit of another owner', permit, signed({ message: { owner: other.address }, permitSigner: other })],
  ['permit that another wallet signed', permit, signed({ permitSigner: other })],
  ['permit for another spender', permit, signed({ message: { spender: stranger } })],
  ['permit of another value', permit, signed({ message: { value: '1' } })],
  ['permit with another nonce', permit, signed({ message: { nonce: '1' } })],
  ['permit with another deadline', permit, signed({ message: { deadline: '2000000000' } })],
  ['permit for another chain', permit, signed({ domain: { chainId: 1 } })],
  ['permit for another token', permit, signed({ domain: { verifyingContract: stranger } })],
  ['permit of another name', permit, signed({ domain: { name: 'USDC' } })],
  ['permit of another version', permit, signed({ domain: { version: '1' } })],
  [
    'permit with a high s',
    permit,
    ({ request }) => {
      const { permitSignature: given } = request;
      const v = given.endsWith('1b') ? '1c' : '1b';
      const s = highS(`0x${given.slice(66, 130)}`).slice(2);
      return { ...request, permitSignature: `${given.slice(0, 66)}${s}${v}` };
    },
  ],
  [
    'signatures that are swapped',
    auth,
    ({ request }) => {
      const { permitSignature: given, authorization: list } = request;
      const { r, s, yParity } = list!;
      return {
        ...request,
        permitSignature: `${r}${s.slice(2)}${yParity === 0 ? '1b' : '1c'}`,
        authorization: {
          ...list,
          r: given.slice(0, 66),
          s: `0x${given.slice(66, 130)}`,
          yParity: given.endsWith('1b') ? 0 : 1,
        },
      };
    },
  ],
  ['another wallet', auth, ({ request }) => ({ ...request, agentAddress: other.address })],
];

/** Paths of everything in a document that is no object and no array with items. */
function leavesOf(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return entries.length === 0 ? [path] : entries.flatMap(([key, each]) => leavesOf(each, [...path, key]));
}

function changed(value: unknown): unknown {
  if (typeof value === 'number') return value + 1;
  if (Array.isArray(value)) return [['0x' + '12'.repeat(32)]];
  const text = String(value);
  if (!text.startsWith('0x')) return /^\d+$/.test(text) ? String(BigInt(text) + 1n) : `${text}x`;
  if (text === '0x') return '0x12';
  return text.slice(0, -1) + (text.endsWith('0') ? '1' : '0');
}

describe('bad input', () => {
  let vaultId: string;
  let good: Good;
  let completed: ExecuteRequest;
  let sentBefore: number;

  beforeAll(async () => {
    ({ vaultId } = await usdcVault(api));
    const agent = await createGaslessWallet(devnetChains().base, vaultId);
    const { gaslessSetup } = await prepareGasless(api, agent);
    const request = await signGasless(agent, gaslessSetup);
    good = { agent, request, sign: (changes) => signGasless(agent, gaslessSetup, changes) };
    completed = await signGaslessIntent(agent, await completeGasless(api, request));
    sentBefore = sends('base').length;
  });
  afterEach(() => expect(sends('base')).toHaveLength(sentBefore));

  const refused = async (request: object) => {
    const { status, body } = await api.refused('POST', gaslessSetupPath, request);
    return { status, ...body };
  };

  it.each(wrongSignatures)('error: %s', async (_, [code, details], make) => {
    expect(await refused(await make(good))).toMatchObject({ status: 400, code, details });
  });

  it('error: a wallet that is a contract', async () => {
    const request = { ...good.request, agentAddress: canonical.usdc[8453] };
    expect(await refused(request)).toMatchObject({ status: 400, details: expect.anything() });
  });

  it('error: USDC below amount and gas', async () => {
    const agent = await createGaslessWallet(devnetChains().base, vaultId, { usdc: 5_000_000n, amount: '5' });
    const request = await signGasless(agent, (await prepareGasless(api, agent)).gaslessSetup);
    const { status, code, details } = await refused(request);
    expect([status, code]).toEqual([400, 'INSUFFICIENT_BALANCE']);
    const amount = details['maxAmount'] as string;
    expect(Number(amount)).toBeGreaterThan(0);
    expect(await completeGasless(api, { ...request, amount })).toMatchObject({ needsSetup: false });
  });

  it('error: every changed field of the completed envelope', async () => {
    const seen: Record<string, string> = {};
    for (const path of leavesOf(completed.intentEnvelope)) {
      // The relay packs the intent signature in its place.
      if (path.at(-1) === 'signature') continue;
      const request = structuredClone(completed);
      let parent = request.intentEnvelope as unknown as Record<string, unknown>;
      for (const key of path.slice(0, -1)) parent = parent[key] as typeof parent;
      const last = path.at(-1)!;
      parent[last] = changed(parent[last]);
      const { status, body } = await api.call('POST', '/v1/yield/execute', request);
      const { code, details } = body as { code?: string; details?: { reason?: string } };
      seen[path.join('.')] = `${status} ${code} ${details?.reason ?? ''}`.trim();
    }
    expect(seen).toMatchInlineSnapshot(`
      {
        "chainId": "400 TRANSACTION_VALIDATION_FAILED CHAIN_NOT_ACTIVE",
        "destinationExecutions": "400 TRANSACTION_VALIDATION_FAILED UNSUPPORTED_ENVELOPE",
        "entryPoint": "400 TRANSACTION_VALIDATION_FAILED WRONG_ENTRY_POINT",
        "expiry": "400 TRANSACTION_VALIDATION_FAILED SIGNING_MISMATCH",
        "intentId": "400 TRANSACTION_VALIDATION_FAILED INTENT_ID_MISMATCH",
        "merkleRoot": "400 TRANSACTION_VALIDATION_FAILED INTENT_ID_MISMATCH",
        "proofs.0": "400 INVALID_PARAMETERS",
        "sender": "400 TRANSACTION_VALIDATION_FAILED SENDER_MISMATCH",
        "signing.domain.chainId": "400 TRANSACTION_VALIDATION_FAILED SIGNING_MISMATCH",
        "signing.domain.name": "400 TRANSACTION_VALIDATION_FAILED SIGNING_MISMATCH",
        "signing.domain.verifyingContract": "400 TRANSACTION_VALIDATION_FAILED SIGNING_MISMATCH",
        "signing.domain.version": "400 TRANSACTION_VALIDATION_FAILED SIGNING_MISMATCH",
        "signing.message.chainId": "400 TRANSACTION_VALIDATION_FAILED SIGNING_MISMATCH",
        "signing.message.expiry": "400 TRANSACTION_VALIDATION_FAILED SIGNING_MISMATCH",
        "signing.message.merkleRoot": "400 TRANSACTION_VALIDATION_FAILED SIGNING_MISMATCH",
        "signing.message.validAfter": "400 TRANSACTION_VALIDATION_FAILED SIGNING_MISMATCH",
        "signing.primaryType": "400 INVALID_PARAMETERS",
        "signing.types.Intent.0.name": "400 TRANSACTION_VALIDATION_FAILED SIGNING_MISMATCH",
        "signing.types.Intent.0.type": "400 TRANSACTION_VALIDATION_FAILED SIGNING_MISMATCH",
        "signing.types.Intent.1.name": "400 TRANSACTION_VALIDATION_FAILED SIGNING_MISMATCH",
        "signing.types.Intent.1.type": "400 TRANSACTION_VALIDATION_FAILED SIGNING_MISMATCH",
        "signing.types.Intent.2.name": "400 TRANSACTION_VALIDATION_FAILED SIGNING_MISMATCH",
        "signing.types.Intent.2.type": "400 TRANSACTION_VALIDATION_FAILED SIGNING_MISMATCH",
        "signing.types.Intent.3.name": "400 TRANSACTION_VALIDATION_FAILED SIGNING_MISMATCH",
        "signing.types.Intent.3.type": "400 TRANSACTION_VALIDATION_FAILED SIGNING_MISMATCH",
        "userOps.0.eip7702Auth.address": "400 TRANSACTION_VALIDATION_FAILED UNSUPPORTED_ENVELOPE",
        "userOps.0.eip7702Auth.chainId": "400 TRANSACTION_VALIDATION_FAILED UNSUPPORTED_ENVELOPE",
        "userOps.0.eip7702Auth.nonce": "400 TRANSACTION_VALIDATION_FAILED UNSUPPORTED_ENVELOPE",
        "userOps.0.eip7702Auth.r": "400 TRANSACTION_VALIDATION_FAILED UNSUPPORTED_ENVELOPE",
        "userOps.0.eip7702Auth.s": "400 TRANSACTION_VALIDATION_FAILED UNSUPPORTED_ENVELOPE",
        "userOps.0.eip7702Auth.yParity": "400 TRANSACTION_VALIDATION_FAILED UNSUPPORTED_ENVELOPE",
        "userOps.0.userOperation.callData": "400 TRANSACTION_VALIDATION_FAILED MERKLE_ROOT_MISMATCH",
        "userOps.0.userOperation.callGasLimit": "400 TRANSACTION_VALIDATION_FAILED MERKLE_ROOT_MISMATCH",
        "userOps.0.userOperation.initCode": "400 TRANSACTION_VALIDATION_FAILED UNSUPPORTED_ENVELOPE",
        "userOps.0.userOperation.maxFeePerGas": "400 TRANSACTION_VALIDATION_FAILED MERKLE_ROOT_MISMATCH",
        "userOps.0.userOperation.maxPriorityFeePerGas": "400 TRANSACTION_VALIDATION_FAILED MERKLE_ROOT_MISMATCH",
        "userOps.0.userOperation.nonce": "400 TRANSACTION_VALIDATION_FAILED MERKLE_ROOT_MISMATCH",
        "userOps.0.userOperation.paymasterAndData": "400 TRANSACTION_VALIDATION_FAILED MERKLE_ROOT_MISMATCH",
        "userOps.0.userOperation.preVerificationGas": "400 TRANSACTION_VALIDATION_FAILED MERKLE_ROOT_MISMATCH",
        "userOps.0.userOperation.sender": "400 TRANSACTION_VALIDATION_FAILED SENDER_MISMATCH",
        "userOps.0.userOperation.verificationGasLimit": "400 TRANSACTION_VALIDATION_FAILED MERKLE_ROOT_MISMATCH",
        "validAfter": "400 TRANSACTION_VALIDATION_FAILED SIGNING_MISMATCH",
        "version": "400 INVALID_PARAMETERS",
      }
    `);
    expect(await included('base', good.agent.wallet.address)).toEqual([]);
  });

  it('behavior: after all of these the wallet still gets in', async () => {
    const response = await api.execute(completed);
    sentBefore = sends('base').length;
    expect(response).toMatchObject({ result: 'executed', positionUpdate: { assetsDelta: '25' } });
    expect(await included('base', good.agent.wallet.address)).toEqual([true]);
  });
});
