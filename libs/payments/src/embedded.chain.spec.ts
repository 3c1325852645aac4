import { setTimeout as pause } from 'node:timers/promises';
import {
  canonical,
  chainFacts,
  walletContracts,
  yieldVaultAccountDeployedBytecode,
} from '@yield-vault/contracts';
import { localUsdcAbi } from '@yield-vault/testing/local';
import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { recordRequests, startRpcProxy, testAccount, type RpcProxyFault } from '@yield-vault/testing';
import {
  concat,
  createWalletClient,
  encodeFunctionData,
  http,
  multicall3Abi,
  parseGwei,
  toHex,
  type Address,
  type Hex,
  type LocalAccount,
} from 'viem';
import { buildPayments, price } from '../test/support/build-payments.js';
import { response, buildRequest } from '../test/support/build-request.js';
import {
  expectAnswered,
  expectUnavailable,
  expectUsedUp,
  reasonOf,
  reserve,
  shown,
} from '../test/support/reserve.js';
import { signPayment, type PaymentParts, type SignedPayment } from '../test/support/sign-payment.js';
import { paymentChain, payTo, relayer } from '../test/support/payment-chain.js';
import { startPaymentChain, type StartedPaymentChain } from '../test/support/start-payment-chain.js';
import { withLoss, withRpc } from '../test/support/with-rpc.js';
import { openLedgers } from '../test/support/open-ledgers.js';
import {
  createEmbeddedFacilitator,
  type EmbeddedFacilitatorOptions,
} from './adapters/create-embedded-facilitator.js';
import type { Payments } from './payments.js';
import type { PaidRequest, PaymentChain } from './types.js';

// Bytecode that answers isValidSignature with yes, after it counted to zero from there: 26 gas each.
const sayYes = '631626ba7e60e01b5f5260205ff3';
const countAndSayYes = (from: number): Hex =>
  `0x62${toHex(from, { size: 3 }).slice(2)}5b6001900380600457${sayYes}`;
const stranger = testAccount('stranger');
const ledgers = openLedgers();

let base: StartedPaymentChain;
let payer: LocalAccount;
let payers = 0;

beforeAll(async () => {
  base = await startPaymentChain();
  await base.node.setBalance({ address: stranger.address, value: 10n ** 18n });
});
afterAll(() => base.stop());
beforeEach(async () => {
  payer = testAccount(`embedded payer ${++payers}`);
  await base.setUsdc(payer.address, price);
  await base.setUsdc(payTo, 0n);
});

function start(
  chain: PaymentChain = base.chain,
  options: Partial<EmbeddedFacilitatorOptions> = {},
): Payments {
  const facilitator = createEmbeddedFacilitator({ account: relayer, chains: [chain], ...options });
  return buildPayments({ chains: [chain], facilitator, ledger: ledgers.connect() });
}

async function attach(parts: PaymentParts = {}): Promise<{ request: PaidRequest; signed: SignedPayment }> {
  const signed = await signPayment(payer, base.chain, parts);
  return { request: buildRequest({ 'PAYMENT-SIGNATURE': signed.v2 }), signed };
}

/** Payments, and one that is reserved. */
async function setUp(payments = start()) {
  const { request, signed } = await attach();
  return { payments, request, signed, session: await reserve(payments, request) };
}

/** Execute authorizations without the facilitator, in one transaction. */
async function executeDirectly(...all: readonly SignedPayment[]): Promise<void> {
  const hash = await sendOut(all);
  expect((await base.node.waitForTransactionReceipt({ hash })).status).toBe('success');
}

async function sendOut(
  all: readonly SignedPayment[],
  fees?: { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint },
): Promise<Hex> {
  const wallet = createWalletClient({ account: stranger, transport: http(base.rpcUrl) });
  const calls = all.map(
    ({ authorization: { from, to, value, validAfter, validBefore, nonce }, signature }) => ({
      target: base.usdc,
      allowFailure: false,
      callData: encodeFunctionData({
        abi: localUsdcAbi,
        functionName: 'transferWithAuthorization',
        args: [from, to, value, validAfter, validBefore, nonce, signature],
      }),
    }),
  );
  return wallet.writeContract({
    chain: null,
    address: canonical.multicall3,
    abi: multicall3Abi,
    functionName: 'aggregate3',
    args: [calls],
    // Not estimated: another transfer of the same authorization may wait in the pool.
    gas: 1_000_000n,
    ...fees,
  });
}

async function cancelOnChain(nonce: Hex): Promise<void> {
  const { asset, chainId } = base.chain;
  const signature = await payer.signTypedData({
    domain: { name: asset.name, version: asset.version, chainId, verifyingContract: asset.address },
    types: {
      CancelAuthorization: [
        { name: 'authorizer', type: 'address' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'CancelAuthorization',
    message: { authorizer: payer.address, nonce },
  });
  const wallet = createWalletClient({ account: stranger, transport: http(base.rpcUrl) });
  await base.node.waitForTransactionReceipt({
    hash: await wallet.writeContract({
      chain: null,
      address: base.usdc,
      abi: localUsdcAbi,
      functionName: 'cancelAuthorization',
      args: [payer.address, nonce, signature],
    }),
  });
}

const sentByRelayer = () => base.node.getTransactionCount({ address: relayer.address });
const paid = () => base.usdcOf(payTo);
const expectChargedOnce = async (payments: Payments, request: PaidRequest) => {
  await expectAnswered(payments, request);
  expect(await paid()).toBe(price);
};
/** Check that a new payment buys a response. */
async function expectSold(request: PaidRequest, payments = start()) {
  const settled = await payments.settle(await reserve(payments, request), response);
  expect(settled).toMatchObject({ kind: 'settled' });
  await expectChargedOnce(payments, request);
}

describe('signatures of payers', () => {
  it('error: the signature of another key', async () => {
    const { signed } = await attach();
    const { signature } = await signPayment(stranger, base.chain, signed.authorization);
    const forged = await signPayment(payer, base.chain, { ...signed.authorization, signature });
    const result = await start().begin(buildRequest({ 'PAYMENT-SIGNATURE': forged.v2 }));
    expect(reasonOf(result)).toMatch(/^(invalid_exact_evm|payment_refused)/);
  });

  it('error: a payer with too low a balance', async () => {
    await base.setUsdc(payer.address, price - 1n);
    const { request } = await attach();
    expect(reasonOf(await start().begin(request))).toBe('invalid_exact_evm_insufficient_balance');
  });

  it('behavior: a wallet that is delegated to our account pays with its plain signature', async () => {
    await base.node.setCode({
      address: walletContracts.account,
      bytecode: yieldVaultAccountDeployedBytecode,
    });
    await base.node.setCode({
      address: payer.address,
      bytecode: concat(['0xef0100', walletContracts.account]),
    });
    const { request } = await attach();
    await expectSold(request);
  });

  it('behavior: a contract wallet pays with a signature of its own kind', async () => {
    await base.node.setCode({ address: payer.address, bytecode: countAndSayYes(1) });
    const { request } = await attach({ signature: `0x${'ab'.repeat(200)}` });
    await expectSold(request);
  });

  it('error: a wallet whose delegation refuses plain signatures', async () => {
    // Answers every call with nothing.
    const refusing: Address = '0x00000000000000000000000000000000000d1e6a';
    await base.node.setCode({ address: refusing, bytecode: '0x00' });
    await base.node.setCode({ address: payer.address, bytecode: concat(['0xef0100', refusing]) });
    const { request } = await attach();
    expect(reasonOf(await start().begin(request))).toBe('invalid_exact_evm_signature');
  });

  it.each<[string, Hex]>([
    [
      'says yes to the token alone',
      `0x3373${chainFacts(8453).usdc.address.slice(2).toLowerCase()}14601d575f5ffd5b${sayYes}`,
    ],
    ['uses more gas than a transfer may', countAndSayYes(14_000)],
  ])('error: a wallet that %s; no response is made', async (_, bytecode) => {
    await base.node.setCode({ address: payer.address, bytecode });
    const { request } = await attach();
    expect((await start().begin(request)).kind).toBe('required');
  });

  it('behavior: a wallet that uses nearly as much gas as a transfer may pays', async () => {
    await base.node.setCode({ address: payer.address, bytecode: countAndSayYes(10_200) });
    const { request } = await attach();
    await expectSold(request);
  });

  it('default: a good payment is verified with one request', async () => {
    const { request } = await attach();
    const payments = start();
    expect(await recordRequests(() => reserve(payments, request))).toHaveLength(1);
  });
});

describe('a node that fails', () => {
  const faults: RpcProxyFault[] = ['cut', 'stalled-body', 'garbage', 'http-429'];
  const secret = 'key-of-the-node';
  let proxy: Awaited<ReturnType<typeof startRpcProxy>>;
  let chain: PaymentChain;

  beforeEach(async () => {
    proxy = await startRpcProxy(base.rpcUrl);
    chain = paymentChain(`${proxy.url}/${secret}`);
  });
  afterEach(() => proxy.stop());

  it.each(faults)('error: %s while the payment is checked; it is as good as new', async (fault) => {
    const payments = start(chain);
    const { request } = await attach();
    proxy.setFault(fault);
    const error = await expectUnavailable(payments.begin(request));
    expect(error).toMatchObject({ retryAfterSeconds: expect.any(Number) as number });
    expect(shown(error)).not.toMatch(new RegExp(`${secret}|127\\.0\\.0\\.1|0x[0-9a-f]{64}`));
    proxy.setFault(undefined);
    await expectSold(request, payments);
  });

  it.each(faults)(
    'error: %s while it is settled; the same request gets the response, charged once',
    async (fault) => {
      const { payments, request, session } = await setUp(start(chain, { confirmationTimeoutMs: 500 }));
      proxy.setFault(fault);
      const error = await expectUnavailable(payments.settle(session, response));
      expect(shown(error)).not.toMatch(new RegExp(`${secret}|127\\.0\\.0\\.1`));
      proxy.setFault(undefined);
      await expectChargedOnce(payments, request);
    },
  );

  const losses = (['question', 'answer'] as const).flatMap((lost) =>
    Array.from({ length: 12 }, (_, index) => [lost, index] as const),
  );

  it.each(losses)('behavior: one lost %s, number %d of a settlement; charged once', async (lost, index) => {
    let left = Infinity;
    const lossy = withLoss(base.chain, lost, () => left-- === 0);
    const { payments, request, session } = await setUp(start(lossy, { confirmationTimeoutMs: 300 }));
    left = index;
    const first: unknown = await payments.settle(session, response).catch((thrown: unknown) => thrown);
    if (first instanceof Error) {
      expect(first).toBeInstanceOf(UpstreamUnavailableError);
      await expectAnswered(payments, request);
    } else expect(first).toMatchObject({ kind: 'settled' });
    expect(await paid()).toBe(price);
  });
});

describe('authorizations that others use', () => {
  it('error: executed before it is presented, when anybody can know its signature', async () => {
    const { request, signed } = await attach();
    await executeDirectly(signed);
    const payments = start();
    for (const path of [request.path, '/other'])
      expect(reasonOf(await payments.begin({ ...request, path }))).toBe(
        'invalid_exact_evm_nonce_already_used',
      );
    expect(await paid()).toBe(price);
  });

  it('behavior: sent by this deployment, whose ledger was lost: it has paid', async () => {
    const { request } = await attach();
    const before = start();
    await before.settle(await reserve(before, request), response);
    await ledgers.clear();
    const payments = start();
    const sent = await sentByRelayer();
    await payments.settle(await reserve(payments, request), response);
    await expectAnswered(payments, request);
    await expectUsedUp(payments, request);
    expect(await sentByRelayer()).toBe(sent);
    expect(await paid()).toBe(price);
  });

  it('behavior: executed while the response is made: it has paid', async () => {
    const { payments, signed, session } = await setUp();
    await executeDirectly(signed);
    const sent = await sentByRelayer();
    expect(await payments.settle(session, response)).toMatchObject({ kind: 'settled' });
    expect(await sentByRelayer()).toBe(sent);
    expect(await paid()).toBe(price);
  });

  it('error: executed in the block of our transfer, and a node behind it; charged once', async () => {
    const { request, signed } = await attach();
    const before = await base.node.getBlock();
    let isBehind = true;
    const chain = withRpc(base.chain, {
      getBlock: (() => (isBehind ? Promise.resolve(before) : base.chain.rpc.getBlock())) as never,
    });
    const payments = start(chain);
    const session = await reserve(payments, request);
    await base.node.setAutomine(false);
    try {
      const settling = payments.settle(session, response);
      while ((await base.node.getTxpoolStatus()).pending === 0) await pause(10);
      // It offers more, so that it comes first and ours reverts.
      await sendOut([signed], { maxPriorityFeePerGas: parseGwei('50'), maxFeePerGas: parseGwei('100') });
      await base.node.mine({ blocks: 1 });
      await expectUnavailable(settling);
    } finally {
      await base.node.setAutomine(true);
    }
    isBehind = false;
    await expectChargedOnce(payments, request);
  });

  it('error: cancelled while the response is made', async () => {
    const { payments, signed, session } = await setUp();
    await cancelOnChain(signed.authorization.nonce);
    const refused = await payments.settle(session, response);
    expect(reasonOf(refused)).toBe('invalid_exact_evm_nonce_already_used');
    expect(await paid()).toBe(0n);
  });

  it('error: the balance is spent before settlement; no gas is used', async () => {
    const { payments, session } = await setUp();
    await base.setUsdc(payer.address, 0n);
    const sent = await sentByRelayer();
    const refused = await payments.settle(session, response);
    expect(reasonOf(refused)).toBe('invalid_exact_evm_insufficient_balance');
    expect(await sentByRelayer()).toBe(sent);
  });

  it('error: the same nonce, spent on another recipient beside a transfer to us', async () => {
    await base.setUsdc(payer.address, price * 2n);
    const { request, signed } = await attach();
    const elsewhere = await signPayment(payer, base.chain, { ...signed.authorization, to: stranger.address });
    const another = await signPayment(payer, base.chain);
    const payments = start();
    const paidFor = buildRequest({ 'PAYMENT-SIGNATURE': another.v2 });
    const [session, sessionBeside] = [await reserve(payments, request), await reserve(payments, paidFor)];
    await executeDirectly(elsewhere, another);
    const refused = await payments.settle(session, response);
    expect(reasonOf(refused)).toBe('invalid_exact_evm_nonce_already_used');
    // The payment beside it pays for its own request, once.
    await payments.settle(sessionBeside, response);
    expect(reasonOf(await payments.begin({ ...paidFor, path: '/other' }))).toBe('payment_already_used');
  });

  it('error: one that ran out on chain before it was mined', async () => {
    const { payments, signed, session } = await setUp();
    const snapshot = await base.node.snapshot();
    try {
      await base.node.setNextBlockTimestamp({ timestamp: signed.authorization.validBefore });
      await base.node.mine({ blocks: 1 });
      expect(reasonOf(await payments.settle(session, response))).toBe(
        'invalid_exact_evm_payload_authorization_valid_before',
      );
      expect(await paid()).toBe(0n);
    } finally {
      await base.node.revert({ id: snapshot });
    }
  });
});

describe('the account that pays gas', () => {
  it('error: without ETH the service is unavailable, and no caller is asked to pay again', async () => {
    const account = testAccount('poor relayer');
    const { payments, request, session } = await setUp(start(base.chain, { account }));
    await expectUnavailable(payments.settle(session, response));
    await base.node.setBalance({ address: account.address, value: 10n ** 18n });
    await expectChargedOnce(payments, request);
    await base.node.setBalance({ address: account.address, value: 0n });
  });

  it('error: a signer that is down', async () => {
    const account = { ...relayer, signTransaction: () => Promise.reject(new Error('no signer')) };
    const payments = start(base.chain, { account });
    const { request } = await attach();
    const settled = payments.settle(await reserve(payments, request), response);
    await expectUnavailable(settled);
    // A lost ledger shows that nothing was sent.
    await ledgers.clear();
    expect(await start().begin(request)).toMatchObject({ kind: 'reserved' });
  });

  it('behavior: works on when the chain is put back', async () => {
    const payments = start();
    const { request } = await attach();
    const snapshot = await base.node.snapshot();
    await payments.settle(await reserve(payments, request), response);
    await base.node.revert({ id: snapshot });
    expect(await paid()).toBe(0n);
    const { request: next } = await attach();
    await expectSold(next, payments);
  });
});

it('behavior: many payments at once, on two chains, are each settled once', async () => {
  const ethereum = await startPaymentChain(1);
  try {
    const chains = [base.chain, ethereum.chain];
    const facilitator = createEmbeddedFacilitator({ account: relayer, chains });
    const payments = buildPayments({ chains, facilitator, ledger: ledgers.connect() });
    const pay = async (index: number) => {
      const account = testAccount(`one of many ${index}`);
      const on = index % 4 === 0 ? ethereum : base;
      await on.setUsdc(account.address, price);
      const { v2 } = await signPayment(account, on.chain);
      const session = await reserve(payments, buildRequest({ 'PAYMENT-SIGNATURE': v2 }));
      return (await payments.settle(session, response)).kind;
    };
    const kinds = await Promise.all(Array.from({ length: 12 }, (_, index) => pay(index)));
    expect(kinds).toEqual(kinds.map(() => 'settled'));
    expect([await paid(), await ethereum.usdcOf(payTo)]).toEqual([price * 9n, price * 3n]);
  } finally {
    await ethereum.stop();
  }
});

describe('inspect', () => {
  const inspect = (chain: PaymentChain, account: LocalAccount = relayer, options = {}) => {
    const facilitator = createEmbeddedFacilitator({ account, chains: [chain] });
    return buildPayments({ chains: [chain], facilitator, ledger: ledgers.connect(), options }).inspect();
  };

  it('default: tokens and facilitator fit the configuration', async () => {
    expect(await inspect(base.chain)).toEqual({ problems: [], warnings: [] });
  });

  it('behavior: a relayer without ETH is a warning', async () => {
    expect(await inspect(base.chain, testAccount('a relayer without ETH'))).toEqual({
      problems: [],
      warnings: ['the facilitator has no ETH on base'],
    });
  });

  it('error: a token, a chain or a payee that does not fit', async () => {
    const problemsOf = async (change: Partial<PaymentChain>) =>
      (await inspect({ ...base.chain, ...change }, relayer, { payTo: relayer.address })).problems;
    const { asset } = base.chain;
    const paysItself = 'payTo must differ from the account that pays the gas of the facilitator';
    expect(await problemsOf({ asset: { ...asset, name: 'USDC', decimals: 8 } })).toEqual([
      paysItself,
      'the token on base has 6 decimals, not 8',
      'the token on base has another EIP-712 domain than "USDC" version 2',
    ]);
    expect(await problemsOf({ asset: { ...asset, address: payTo } })).toEqual([
      paysItself,
      'the token on base does not support EIP-3009',
    ]);
    expect(await problemsOf({ chainId: 1 })).toEqual([
      paysItself,
      'the RPC of base has another chain id than 1',
    ]);
  });
});
