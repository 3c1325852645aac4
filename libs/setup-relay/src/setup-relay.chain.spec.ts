import type { ActiveChain } from '@yield-vault/chains';
import { localContracts, walletContracts, yieldVaultAccountAbi } from '@yield-vault/contracts';
import { localAddresses, localOperator, localUsdcAbi } from '@yield-vault/testing/local';
import type { DatabaseHandle } from '@yield-vault/database';
import { openTestDatabase } from '@yield-vault/database/testing';
import { activeBase, fundWallet, type DevnetChain } from '@yield-vault/devnet';
import type { PrivateKeyAccount } from 'viem/accounts';
import {
  AlreadySetUpError,
  ForkNotRunningError,
  SetupTransactionRejectedError,
  SetupTransactionRevertedError,
  setupChecks,
  setupTicketId,
  TransactionPendingError,
  UpstreamUnavailableError,
} from '@yield-vault/protocol';
import { delegationCode, encodeInitializeAccount } from '@yield-vault/smart-account';
import { KilledError, killable, testAccount, type Life } from '@yield-vault/testing';
import {
  createTestClient,
  createWalletClient,
  encodeFunctionData,
  erc20Abi,
  http,
  HttpRequestError,
  keccak256,
  numberToHex,
  parseEther,
  parseGwei,
  parseTransaction,
  RpcRequestError,
  serializeTransaction,
  size,
  zeroAddress,
  type Hex,
  type TransactionRequest,
  type TransactionSerializable,
} from 'viem';
import {
  allowanceUsdc,
  allowing,
  buildSetup,
  chainId,
  type SetupParts,
} from '../test/support/build-setup.js';
import { startChain } from '../test/support/start-chain.js';
import { startManagedFork, type ManagedFork } from '../test/support/start-managed-fork.js';
import { createDatabaseSetupStore } from './adapters/database-setup-store.js';
import type { ForksPort, SetupChain, SetupStore } from './ports.js';
import { createSetupRelay, type SetupRelayOptions } from './setup-relay.js';
import { gasPriceOracle } from './sendable.js';

let chain: ActiveChain;
let started: DevnetChain;
let stop: () => Promise<void>;
let wallets = 0;
let memory: DatabaseHandle;
let ledger: SetupStore;

beforeAll(async () => {
  ({ chain, started, stop } = await startChain());
  memory = await openTestDatabase();
  ledger = createDatabaseSetupStore(memory);
});
afterAll(async () => {
  await memory.close();
  await stop();
});

/** Send a transaction of a wallet, and wait for its inclusion. */
async function sendFrom(wallet: PrivateKeyAccount, transaction: Partial<TransactionRequest>): Promise<void> {
  const serializedTransaction = await wallet.signTransaction({
    chainId,
    nonce: 0,
    to: wallet.address,
    gas: 200_000n,
    maxFeePerGas: parseGwei('10'),
    ...transaction,
  } as TransactionSerializable);
  const hash = await chain.rpc.sendRawTransaction({ serializedTransaction });
  await chain.rpc.waitForTransactionReceipt({ hash });
}

async function newWallet(ethWei = parseEther('0.1')) {
  const wallet = testAccount(`setup ${++wallets}`);
  await fundWallet(started, wallet.address, { ethWei });
  return wallet;
}

/** The chain with its broadcasts counted, and with what should happen around each. */
function watched(around: { before?: () => void; after?: () => void } = {}) {
  const sent: Hex[] = [];
  const rpc = Object.assign(Object.create(chain.rpc) as ActiveChain['rpc'], {
    sendRawTransaction: async (parameters: { serializedTransaction: Hex }) => {
      around.before?.();
      sent.push(keccak256(parameters.serializedTransaction));
      const hash = await chain.rpc.sendRawTransaction(parameters as never);
      around.after?.();
      return hash;
    },
  });
  return { on: { ...chain, rpc } as SetupChain, sent };
}

/** A setup of a new wallet, on a watched chain. */
async function watchedSetup(parts: SetupParts = {}, around?: Parameters<typeof watched>[0]) {
  const wallet = await newWallet();
  return { wallet, ...watched(around), request: await buildSetup({ wallet, ...parts }) };
}

/** The chain behind a node that returns other results for some reads. */
function reading(
  reads: Partial<
    Pick<ActiveChain['rpc'], 'getCode' | 'multicall' | 'getTransaction' | 'getTransactionReceipt'>
  >,
): SetupChain {
  const rpc = Object.assign(Object.create(chain.rpc) as ActiveChain['rpc'], reads);
  return { ...chain, rpc };
}

function startRelay(
  on: SetupChain,
  store: SetupStore = ledger,
  options: Partial<SetupRelayOptions> & { now?: () => number } = {},
) {
  const { now, ...rest } = options;
  return createSetupRelay({
    chains: { keys: ['base'], findById: (id) => (id === chainId ? on : undefined) },
    store,
    options: {
      ticketLifetimeSeconds: 900,
      waitSeconds: 20,
      paymasterAllowanceUsdc: allowanceUsdc,
      pollMs: 50,
      ...rest,
    },
    ...(now && { now }),
  });
}

/** The chain with a paymaster that needs an allowance. */
const circle = (): SetupChain => ({ ...chain, paymaster: { kind: 'circle' } });
const anHourLater = { now: () => Date.now() + 3_600_000 };
const caught = (promise: Promise<unknown>) => promise.catch((error: unknown) => error);
const expectSuccess = (call: Promise<unknown>) =>
  expect(call).resolves.toMatchObject({ receiptStatus: 'success' });
const expectPending = async (call: Promise<unknown>, details = {}) => {
  const error = await caught(call);
  expect(error).toBeInstanceOf(TransactionPendingError);
  expect(error).toMatchObject({ details });
};
const expectRejected = async (call: Promise<unknown>, details: object) =>
  expect(await caught(call)).toMatchObject({ code: 'SETUP_TRANSACTION_REJECTED', details });

describe('createSetupRelay on a local chain', () => {
  it('default: sets a wallet up in full, and returns the same again after the ticket expired', async () => {
    const { wallet, on, sent, request } = await watchedSetup({ confirmations: 2 });
    const response = await startRelay(on).relay(request);
    expect(response).toEqual({
      txHash: keccak256(request.signedRawTx),
      receiptStatus: 'success',
      blockNumber: expect.stringMatching(/^\d+$/) as string,
      relayMode: 'chain',
      setupType: 'full',
      delegationVerified: true,
      modulesVerified: true,
      verifiedImplementation: walletContracts.account,
      setupRequired: 'none',
      verificationChecks: [...setupChecks],
    });
    expect(await chain.rpc.getCode({ address: wallet.address })).toBe(
      delegationCode(walletContracts.account),
    );
    expect(await chain.rpc.getBlockNumber()).toBeGreaterThan(BigInt(response.blockNumber));

    const later = startRelay(on, ledger, anHourLater);
    expect(await later.relay(request)).toEqual(response);
    expect(sent).toHaveLength(1);
  });

  it('behavior: a setup that ran out of gas leaves the delegation, and a modules setup of type 2 repairs it', async () => {
    const wallet = await newWallet();
    const initCalldata = allowing(wallet.address);
    const { on, sent } = watched();
    const failing = await buildSetup({ wallet, initCalldata, transaction: { gas: 60_000n } });
    const relay = startRelay({ ...on, paymaster: { kind: 'circle' } });
    expect(await caught(relay.relay(failing))).toMatchObject({
      code: 'SETUP_TRANSACTION_REVERTED',
      details: {
        txHash: keccak256(failing.signedRawTx),
        revertReason: 'OUT_OF_GAS',
      },
    });
    expect(await chain.rpc.getCode({ address: wallet.address })).toBe(
      delegationCode(walletContracts.account),
    );
    expect(await caught(relay.relay(failing))).toBeInstanceOf(SetupTransactionRevertedError);
    expect(sent).toHaveLength(1);

    const again = await buildSetup({ wallet, initCalldata, transaction: { nonce: 2 } });
    const full = await caught(relay.relay(again));
    expect(full).toMatchObject({
      code: 'SETUP_TICKET_REJECTED',
      details: {
        failedCheck: 'tx-type-valid',
        needed: 'modules',
      },
    });

    const repair = await buildSetup({
      wallet,
      type: 'eip1559',
      initCalldata,
      ticket: { setupType: 'modules' },
      transaction: { nonce: 2 },
    });
    const response = await relay.relay(repair);
    expect(response).toMatchObject({ setupType: 'modules', modulesVerified: true, delegationVerified: true });
    expect(response.verificationChecks).toEqual(setupChecks.filter((name) => name !== 'auth-list-valid'));
  });

  it('error: SetupTransactionRevertedError with the decoded reason', async () => {
    const wallet = await newWallet();
    const initCalldata = allowing(wallet.address);
    const pause = (functionName: 'pause' | 'unpause') =>
      asOperator(encodeFunctionData({ abi: localUsdcAbi, functionName }));
    await pause('pause');
    try {
      expect(
        await caught(startRelay(circle()).relay(await buildSetup({ wallet, initCalldata }))),
      ).toMatchObject({
        code: 'SETUP_TRANSACTION_REVERTED',
        details: { revertReason: 'Pausable: paused' },
      });
    } finally {
      await pause('unpause');
    }
  });

  it('behavior: a wallet that another implementation holds is delegated anew', async () => {
    const wallet = await newWallet();
    await delegate(wallet, walletContracts.validator, 0);
    const response = await startRelay(chain).relay(await buildSetup({ wallet, transaction: { nonce: 2 } }));
    expect(response.verifiedImplementation).toBe(walletContracts.account);
  });

  it('error: a modules ticket for a wallet that is not delegated', async () => {
    const wallet = await newWallet();
    const { on, sent } = watched();
    const parts: SetupParts = {
      wallet,
      initCalldata: encodeInitializeAccount(),
      ticket: { setupType: 'modules' },
    };
    for (const type of ['eip1559', 'eip7702'] as const) {
      expect(await caught(startRelay(on).relay(await buildSetup({ ...parts, type })))).toMatchObject({
        code: 'SETUP_TICKET_REJECTED',
        details: {
          failedCheck: 'tx-type-valid',
          needed: 'full',
        },
      });
    }
    expect(sent).toEqual([]);
  });

  it('behavior: on the OP stack the wallet pays the L1 fee as well, and no more than the error names', async () => {
    // Takes 10^9 wei for each byte: PUSH1 36 CALLDATALOAD PUSH4 10^9 MUL PUSH0 MSTORE PUSH1 32 PUSH0 RETURN.
    await testClient().setCode({ address: gasPriceOracle, bytecode: '0x602435633b9aca00025f5260205ff3' });
    try {
      const gasWei = 500_000n * parseGwei('4');
      const wallet = await newWallet(gasWei);
      const request = await buildSetup({ wallet });
      const { on, sent } = watched();
      const relay = startRelay(on);
      const error = (await caught(relay.relay(request))) as SetupTransactionRejectedError;
      expect(error).toBeInstanceOf(SetupTransactionRejectedError);
      const { reason, requiredWei, l1FeeWei } = error.details;
      expect(reason).toBe('INSUFFICIENT_FUNDS');
      // The price covers the transaction without its signature.
      const {
        r: _r,
        s: _s,
        yParity: _parity,
        ...unsigned
      } = parseTransaction(request.signedRawTx as `0x04${string}`);
      expect(BigInt(l1FeeWei as string)).toBe(BigInt(size(serializeTransaction(unsigned))) * parseGwei('1'));
      expect(BigInt(requiredWei as string)).toBe(gasWei + BigInt(l1FeeWei as string));
      expect(sent).toEqual([]);

      await fundWallet(started, wallet.address, { ethWei: BigInt(l1FeeWei as string) });
      expect(await relay.relay(request)).toMatchObject({ receiptStatus: 'success' });
    } finally {
      await testClient().setCode({ address: gasPriceOracle, bytecode: '0x' });
    }
  });

  it('error: a transaction that cannot be mined is refused with its reason, and not broadcast', async () => {
    const { on, sent } = watched();
    const poor = await newWallet(1n);
    const request = await buildSetup({ wallet: poor });
    const relay = startRelay(on);
    await expectRejected(relay.relay(request), {
      failedCheck: 'tx-broadcast',
      reason: 'INSUFFICIENT_FUNDS',
      availableWei: '1',
    });
    const rich = await newWallet();
    await expectRejected(relay.relay(await buildSetup({ wallet: rich, transaction: { nonce: 1 } })), {
      failedCheck: 'tx-broadcast',
      reason: 'NONCE_TOO_HIGH',
      expected: 0,
      given: 1,
    });
    expect(sent).toEqual([]);
    expect(await ledger.find(keccak256(request.signedRawTx))).toBeUndefined();

    await fundWallet(started, poor.address, { ethWei: parseEther('0.1') });
    await expectSuccess(relay.relay(request));
    const used = await newWallet();
    await sendFrom(used, {});
    const late = await buildSetup({ wallet: used });
    await expectRejected(relay.relay(late), { reason: 'NONCE_TOO_LOW' });
  });

  it.each(['full', 'modules'] as const)(
    'error: AlreadySetUpError for a new %s setup of a wallet that is set up, and nothing is sent',
    async (setupType) => {
      const wallet = await newWallet();
      await startRelay(chain).relay(await buildSetup({ wallet }));
      const { on, sent } = watched();
      const again = await buildSetup({
        wallet,
        type: setupType === 'full' ? 'eip7702' : 'eip1559',
        initCalldata: setupType === 'full' ? '0x' : encodeInitializeAccount(),
        ticket: { setupType },
        transaction: { nonce: 2 },
      });
      expect(await caught(startRelay(on).relay(again))).toBeInstanceOf(AlreadySetUpError);
      expect(sent).toEqual([]);
      expect(await ledger.find(keccak256(again.signedRawTx))).toBeUndefined();
    },
  );

  it.each([
    ['GAS_LIMIT_TOO_LOW', { gas: 45_999n }],
    ['FEE_TOO_LOW', { maxFeePerGas: 1n }],
    ['GAS_LIMIT_TOO_HIGH', { gas: 40_000_000n, maxFeePerGas: 1_000_000n }],
  ])('error: %s when no block can hold the transaction', async (reason, transaction) => {
    const wallet = await newWallet();
    await expectRejected(startRelay(chain).relay(await buildSetup({ wallet, transaction })), {
      failedCheck: 'tx-broadcast',
      reason,
    });
  });

  it('behavior: a transaction that the caller broadcast already is a success', async () => {
    const { on, sent, request } = await watchedSetup();
    await chain.rpc.sendRawTransaction({ serializedTransaction: request.signedRawTx });
    await expectSuccess(startRelay(on).relay(request));
    expect(sent).toEqual([]);
  });

  it('error: TransactionPendingError while confirmations are missing; the same call continues to wait', async () => {
    const { on, sent, request } = await watchedSetup({ confirmations: 3 });
    await expectPending(startRelay(on, ledger, { waitSeconds: 0 }).relay(request), {
      txHash: keccak256(request.signedRawTx),
    });
    const later = startRelay(on, ledger, anHourLater);
    await expectSuccess(later.relay(request));
    expect(sent).toHaveLength(1);
  });

  it('error: delegation-verified when the wallet was delegated elsewhere meanwhile', async () => {
    const wallet = await newWallet();
    const outcome = caught(startRelay(chain).relay(await buildSetup({ wallet, confirmations: 4 })));
    await until(async () => (await chain.rpc.getTransactionCount({ address: wallet.address })) === 2);
    await delegate(wallet, walletContracts.validator, 2);
    await expectRejected(outcome, { failedCheck: 'delegation-verified' });
  });

  const { usdc } = localAddresses[chainId];
  const uninstallExecutor = encodeFunctionData({
    abi: yieldVaultAccountAbi,
    functionName: 'uninstallModule',
    args: [2n, walletContracts.executor, '0x'],
  });
  it('error: calldata-hash-match for a delegation that does not restore a removed module, and nothing is sent', async () => {
    const wallet = await newWallet();
    await startRelay(chain).relay(await buildSetup({ wallet }));
    await sendFrom(wallet, { nonce: 2, data: uninstallExecutor });
    await delegate(wallet, zeroAddress, 3);
    const { on, sent } = watched();
    const parts = { wallet, transaction: { nonce: 5 } };
    const initCalldata = encodeInitializeAccount();
    expect(await caught(startRelay(on).relay(await buildSetup(parts)))).toMatchObject({
      code: 'SETUP_TICKET_REJECTED',
      details: { failedCheck: 'calldata-hash-match', expected: keccak256(initCalldata) },
    });
    expect(sent).toEqual([]);
    await expectSuccess(startRelay(on).relay(await buildSetup({ ...parts, initCalldata })));
  });

  it.each<[string, Hex | undefined, Hex]>([
    ['a module was removed', undefined, uninstallExecutor],
    [
      'the allowance was taken back',
      usdc,
      encodeFunctionData({
        abi: erc20Abi,
        functionName: 'approve',
        args: [localContracts(8453).paymaster, 0n],
      }),
    ],
  ])('error: modules-verified when %s meanwhile', async (_, to, data) => {
    const wallet = await newWallet();
    const initCalldata = allowing(wallet.address);
    const setup = await buildSetup({ wallet, initCalldata, confirmations: 4 });
    const outcome = caught(startRelay(circle()).relay(setup));
    await until(async () => (await chain.rpc.getTransactionCount({ address: wallet.address })) === 2);
    await sendFrom(wallet, { nonce: 2, to: to ?? wallet.address, data });
    await expectRejected(outcome, { failedCheck: 'modules-verified' });
  });

  it('behavior: the wallet is read in the confirmed block, also on a lagging node', async () => {
    const wallet = await newWallet();
    const old = await chain.rpc.getBlockNumber({ cacheTime: 0 });
    const on = reading({
      getCode: ({ address, blockNumber = old }) => chain.rpc.getCode({ address, blockNumber }),
      multicall: (p) => chain.rpc.multicall({ ...p, blockNumber: p.blockNumber ?? old } as typeof p),
    });
    const answer = await startRelay(on).relay(await buildSetup({ wallet }));
    expect(answer).toMatchObject({ verifiedImplementation: walletContracts.account });
  });

  it('error: TransactionPendingError when the node lacks the confirmed block; the same call continues', async () => {
    const wallet = await newWallet();
    const request = await buildSetup({ wallet });
    const on = reading({
      getCode: ({ address, blockNumber }) =>
        chain.rpc.getCode({ address, blockNumber: blockNumber && blockNumber + 10_000n }),
    });
    await expectPending(startRelay(on).relay(request), { dependency: 'rpc:base' });
    await expectSuccess(startRelay(chain).relay(request));
  });

  describe('with a transaction that was submitted earlier', () => {
    const unknown = keccak256('0x');

    /** A request whose process died right before, or after, the node got the transaction. */
    async function submitted(wallet: ReturnType<typeof testAccount>, isSent: boolean) {
      const request = await buildSetup({ wallet });
      const txHash = keccak256(request.signedRawTx);
      const key = { txHash, chainId, wallet: wallet.address, ticketId: setupTicketId(request.setupTicket) };
      await ledger.reserve(key, { owner: 'dead', seconds: 0 });
      await ledger.markSubmitted(txHash);
      if (isSent) {
        await chain.rpc.sendRawTransaction({ serializedTransaction: request.signedRawTx });
        await chain.rpc.waitForTransactionReceipt({ hash: txHash });
      }
      return { request, txHash };
    }

    it('behavior: waits for a node that shows the setup but not yet the transaction', async () => {
      const { request } = await submitted(await newWallet(), true);
      let looks = 0;
      const on = reading({
        getTransaction: () => chain.rpc.getTransaction({ hash: unknown }),
        getTransactionReceipt: (p) => chain.rpc.getTransactionReceipt(looks++ < 2 ? { hash: unknown } : p),
      });
      await expectSuccess(startRelay(on).relay(request));
      expect(looks).toBe(3);
    });

    it('behavior: one that was confirmed long ago counts, although nodes have forgotten the state of its block', async () => {
      const { request } = await submitted(await newWallet(), true);
      await testClient().mine({ blocks: 40 });
      const head = await chain.rpc.getBlockNumber({ cacheTime: 0 });
      const on = reading({
        getCode: ({ address, blockNumber = head }) =>
          chain.rpc.getCode({ address, blockNumber: blockNumber < head ? head + 10_000n : head }),
      });
      await expectSuccess(startRelay(on).relay(request));
    });

    it('error: TransactionPendingError while no node knows it, and it is not forgotten', async () => {
      const { request, txHash } = await submitted(await newWallet(), true);
      const on = reading({
        getTransaction: () => chain.rpc.getTransaction({ hash: unknown }),
        getTransactionReceipt: () => chain.rpc.getTransactionReceipt({ hash: unknown }),
      });
      const lagging = startRelay(on, ledger, { waitSeconds: 0 });
      await expectPending(lagging.relay(request));
      expect(await ledger.find(txHash)).toMatchObject({ state: 'submitted' });
      // The ticket has expired by then.
      const healthy = startRelay(chain, ledger, anHourLater);
      await expectSuccess(healthy.relay(request));
    });

    it('error: NONCE_TOO_LOW once another transaction has used its nonce for 64 blocks', async () => {
      const wallet = await newWallet();
      const { request } = await submitted(wallet, false);
      await sendFrom(wallet, {});
      const relay = startRelay(chain, ledger, { waitSeconds: 0 });
      await expectPending(relay.relay(request));
      await testClient().mine({ blocks: 65 });
      await expectRejected(relay.relay(request), { reason: 'NONCE_TOO_LOW' });
    });

    it('error: TransactionPendingError with the reason while the node refuses it; the chain decides', async () => {
      const wallet = await newWallet(1n);
      const { request, txHash } = await submitted(wallet, false);
      const impatient = startRelay(chain, ledger, { ...anHourLater, waitSeconds: 0 });
      await expectPending(impatient.relay(request), { reason: 'INSUFFICIENT_FUNDS' });
      expect(await ledger.find(txHash)).toMatchObject({ state: 'submitted' });
      await fundWallet(started, wallet.address, { ethWei: parseEther('0.1') });
      await expectSuccess(startRelay(chain, ledger, anHourLater).relay(request));
    });
  });

  describe('with an ambiguous response to the broadcast', () => {
    const ambiguous = (code: number, message: string) => () => {
      throw new RpcRequestError({ body: {}, error: { code, message }, url: started.rpcUrl });
    };

    it.each([
      [-32000, 'request timed out'],
      [-32003, 'nonce too low'],
    ])('behavior: %d "%s" after the node took it: one broadcast, and a success', async (code, message) => {
      const { on, sent, request } = await watchedSetup({}, { after: ambiguous(code, message) });
      await expectSuccess(startRelay(on).relay(request));
      expect(sent).toHaveLength(1);
    });

    it('error: TransactionPendingError when no node took it; the same call sends it again', async () => {
      const { on, sent, request } = await watchedSetup(
        {},
        { before: ambiguous(-32000, 'request timed out') },
      );
      await expectPending(startRelay(on, ledger, { waitSeconds: 0 }).relay(request));
      expect(sent).toEqual([]);
      await expectSuccess(startRelay(chain).relay(request));
    });

    it('error: a refusal by the node itself leaves nothing behind', async () => {
      const { on, request } = await watchedSetup(
        {},
        {
          before: ambiguous(-32003, 'transaction type not valid for this chain'),
        },
      );
      await expectRejected(startRelay(on).relay(request), { reason: 'REFUSED_BY_NODE' });
      expect(await ledger.find(keccak256(request.signedRawTx))).toBeUndefined();
    });
  });

  describe('with a depth of 20 blocks', () => {
    const deep = (on: SetupChain): SetupChain => ({ ...on, confirmations: 20 });
    const confirmed = async () => {
      const id = await testClient().snapshot();
      const request = await buildSetup({ wallet: await newWallet() });
      const response = await startRelay(deep(chain)).relay(request);
      return { request, response, undo: () => testClient().revert({ id }) };
    };

    it('behavior: a confirmed setup whose block was reorganised is relayed again, also after its ticket expired', async () => {
      const { request, response, undo } = await confirmed();
      await undo();
      const { on, sent } = watched();
      await fundWallet(started, request.setupTicket.walletAddress, { ethWei: parseEther('0.1') });
      const relay = startRelay(deep(on), ledger, anHourLater);
      const again = await relay.relay(request);
      expect(again.txHash).toBe(response.txHash);
      const receipt = await chain.rpc.getTransactionReceipt({ hash: again.txHash });
      expect(again.blockNumber).toBe(receipt.blockNumber.toString());
      expect(await relay.relay(request)).toEqual(again);
      expect(sent).toEqual([response.txHash]);
    });

    it('error: TransactionPendingError while a reorganised setup is in no block', async () => {
      const { request, response, undo } = await confirmed();
      await undo();
      const relay = startRelay(deep(chain), ledger, { waitSeconds: 0 });
      // The wallet lost its ETH with the block.
      await expectPending(relay.relay(request), { txHash: response.txHash, reason: 'INSUFFICIENT_FUNDS' });
      expect(await ledger.find(response.txHash)).toMatchObject({ state: 'submitted' });
    });

    it('behavior: a younger result is read again, a deeper one is not', async () => {
      const { request, response } = await confirmed();
      const silent = deep(
        reading({
          getTransactionReceipt: () =>
            Promise.reject(new HttpRequestError({ url: 'http://node', status: 502, details: 'bad gateway' })),
        }),
      );
      const relay = startRelay(silent, ledger, { waitSeconds: 0 });
      await expectPending(relay.relay(request), { dependency: 'rpc:base' });
      await testClient().mine({ blocks: 20 });
      expect(await relay.relay(request)).toEqual(response);
    });
  });

  it('error: UpstreamUnavailableError when the node is down', async () => {
    expect(
      await caught(
        startRelay(activeBase({ rpcUrl: 'http://127.0.0.1:9' })).relay(
          await buildSetup({ wallet: await newWallet() }),
        ),
      ),
    ).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', details: { dependency: 'rpc:base' } });
  });

  it('behavior: drain ends waiting calls, and refuses new ones', async () => {
    const wallet = await newWallet();
    const relay = startRelay(chain);
    const request = await buildSetup({ wallet, confirmations: 10 });
    const outcome = caught(relay.relay(request));
    await until(async () => (await ledger.find(keccak256(request.signedRawTx)))?.state === 'submitted');
    await relay.drain();
    expect(await outcome).toBeInstanceOf(TransactionPendingError);
    expect(await caught(relay.relay(request))).toBeInstanceOf(UpstreamUnavailableError);
    expect(await startRelay(chain).relay({ ...request, confirmations: 1 })).toBeDefined();
  });
});

describe('createSetupRelay in two processes', () => {
  let database: DatabaseHandle;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.close());

  it('behavior: calls at the same time, in two processes, broadcast once and return the same', async () => {
    const { on, sent, request } = await watchedSetup({ confirmations: 2 });
    const relays = [1, 2].map(() => startRelay(on, createDatabaseSetupStore(database)));
    const calls = Array.from({ length: 8 }, (_, index) => relays[index % 2]?.relay(request));
    const [first, ...others] = await Promise.all(calls);
    expect(first?.receiptStatus).toBe('success');
    for (const other of others) expect(other).toEqual(first);
    expect(sent).toHaveLength(1);
  });

  describe('on a managed fork', () => {
    let fork: ManagedFork;
    beforeAll(async () => {
      fork = await startManagedFork(started.rpcUrl);
    });
    afterAll(() => fork.kill());

    const startForkRelay = (
      store: SetupStore = createDatabaseSetupStore(database),
      options: { now?: () => number; forks?: ForksPort } = {},
    ) => {
      const { now, forks = fork } = options;
      return createSetupRelay({
        chains: { keys: ['base'], findById: (id) => (id === chainId ? fork.chain() : undefined) },
        store,
        forks,
        options: { ticketLifetimeSeconds: 900, waitSeconds: 5, paymasterAllowanceUsdc: allowanceUsdc },
        ...(now && { now }),
      });
    };
    const fundOnFork = async (address: Hex) =>
      fork.chain().rpc.request({
        method: 'anvil_setBalance',
        params: [address, numberToHex(parseEther('0.1'))],
      } as never);
    const newForkWallet = async () => {
      const wallet = testAccount(`forked setup ${++wallets}`);
      await fundOnFork(wallet.address);
      return wallet;
    };

    it.each([1, 2, 10])('default: mines the blocks that %d confirmations need', async (confirmations) => {
      fork.confirmed.length = 0;
      const wallet = await newForkWallet();
      const response = await startForkRelay().relay(await buildSetup({ wallet, confirmations }));
      expect(response).toMatchObject({
        relayMode: 'managed-fork',
        receiptStatus: 'success',
        setupRequired: 'none',
      });
      expect(fork.confirmed).toEqual(confirmations === 1 ? [] : [confirmations - 1]);
      const head = await fork.chain().rpc.getBlockNumber();
      expect(head - BigInt(response.blockNumber) + 1n).toBe(BigInt(confirmations));
    });

    it('behavior: the first response again while the fork lives; broadcast again once it was recreated', async () => {
      const wallet = await newForkWallet();
      const request = await buildSetup({ wallet, confirmations: 2 });
      const first = await startForkRelay().relay(request);
      expect(await startForkRelay().relay(request)).toEqual(first);
      await fork.recreate();
      await fundOnFork(wallet.address);
      const responses = await Promise.all(Array.from({ length: 4 }, () => startForkRelay().relay(request)));
      for (const answer of responses) expect(answer).toEqual(responses[0]);
      const { blockNumber } = await fork.chain().rpc.getTransactionReceipt({ hash: first.txHash });
      expect(responses[0]?.blockNumber).toBe(blockNumber.toString());
      expect(await fork.chain().rpc.getCode({ address: wallet.address })).toBe(
        delegationCode(walletContracts.account),
      );
    });

    it('error: a transaction unknown to a recreated fork counts as new: the ticket must be valid, the wallet funded', async () => {
      const wallet = await newForkWallet();
      const request = await buildSetup({ wallet });
      await startForkRelay().relay(request);
      await fork.recreate();
      const later = startForkRelay(undefined, anHourLater);
      expect(await caught(later.relay(request))).toMatchObject({
        code: 'SETUP_TICKET_REJECTED',
        details: { failedCheck: 'ticket-not-expired' },
      });
      await expectRejected(startForkRelay().relay(request), { reason: 'INSUFFICIENT_FUNDS' });
    });

    it('error: ForkNotRunningError when the fork is recreated while a call waits; the same call continues', async () => {
      const wallet = await newForkWallet();
      const request = await buildSetup({ wallet, confirmations: 3 });
      const forks: ForksPort = {
        async confirm() {
          await fork.recreate();
          await fundOnFork(wallet.address);
        },
      };
      expect(await caught(startForkRelay(undefined, { forks }).relay(request))).toBeInstanceOf(
        ForkNotRunningError,
      );
      await expectSuccess(startForkRelay().relay(request));
    });

    it('error: ForkNotRunningError when the fork is dead, and the transaction stays unconfirmed', async () => {
      const wallet = await newForkWallet();
      const request = await buildSetup({ wallet, confirmations: 3 });
      const store = createDatabaseSetupStore(database);
      await fork.kill();
      try {
        expect(await caught(startForkRelay(store).relay(request))).toBeInstanceOf(ForkNotRunningError);
        expect(await store.find(keccak256(request.signedRawTx))).not.toMatchObject({ state: 'confirmed' });
      } finally {
        await fork.recreate();
      }
    });
  });

  it.each(['before', 'after'] as const)(
    'behavior: a process killed %s the node got the transaction is taken over by the next call',
    async (moment) => {
      const life: Life = { left: Infinity, dead: false };
      const kill = () => {
        life.dead = true;
        throw new KilledError();
      };
      const { on: dying, request } = await watchedSetup({}, { [moment]: kill });
      const { sendRawTransaction } = dying.rpc;
      // The lookup that follows a failed broadcast belongs to the killed process too.
      const rpc = Object.assign(Object.create(killable(chain.rpc, life, 'before')) as ActiveChain['rpc'], {
        sendRawTransaction,
      });
      const store = killable(createDatabaseSetupStore(database), life, 'before');
      const killed = startRelay({ ...dying, rpc }, store, { leaseSeconds: 1 });
      await expect(killed.relay(request)).rejects.toThrow(KilledError);

      const { on, sent } = watched();
      const later = startRelay(on, createDatabaseSetupStore(database), anHourLater);
      await expectSuccess(later.relay(request));
      expect(sent).toHaveLength(moment === 'before' ? 1 : 0);
    },
  );
});

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20));
}

function testClient() {
  return createTestClient({ mode: 'anvil', transport: http(started.rpcUrl) });
}

async function asOperator(data: Hex): Promise<void> {
  const client = testClient();
  await client.impersonateAccount({ address: localOperator });
  const wallet = createWalletClient({ account: localOperator, transport: http(started.rpcUrl) });
  const hash = await wallet.sendTransaction({ to: localAddresses[chainId].usdc, data, chain: null });
  await chain.rpc.waitForTransactionReceipt({ hash });
}

async function delegate(wallet: PrivateKeyAccount, address: Hex, nonce: number): Promise<void> {
  const authorization = await wallet.signAuthorization({ chainId, address, nonce: nonce + 1 });
  await sendFrom(wallet, { type: 'eip7702', nonce, authorizationList: [authorization] });
}
