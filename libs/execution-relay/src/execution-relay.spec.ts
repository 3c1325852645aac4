import { setTimeout as sleep } from 'node:timers/promises';
import { BundlerRejection, UpstreamFailure } from '@yield-vault/chains';
import {
  eip7702Marker,
  aaCodes,
  errorCatalogue,
  NotFoundError,
  PreflightSimulationError,
  TransactionPendingError,
  TransactionSubmissionError,
  TransactionValidationError,
  UpstreamUnavailableError,
  userOperationHash,
  type Eip7702Auth,
  type ExecuteRequest,
} from '@yield-vault/protocol';
import { localContracts, walletContracts } from '@yield-vault/contracts';
import { delegationCode } from '@yield-vault/smart-account';
import { KilledError, killable, testAccount, testKey, type Life } from '@yield-vault/testing';
import {
  encodeErrorResult,
  HttpRequestError,
  keccak256,
  numberToHex,
  parseAbi,
  type Address,
  type Hex,
} from 'viem';
import {
  buildIntent,
  chainId,
  depositPrevious,
  otherVault,
  owner,
  redeem,
  vault,
  type IntentParts,
} from '../test/support/build-intent.js';
import { createFakeChain } from '../test/support/fake-chain.js';
import { createFakeEvents } from '../test/support/fake-events.js';
import { openStores } from '../test/support/open-stores.js';
import {
  caught,
  expectError,
  expectErrorOf,
  expectPending,
  expectSent,
  idOf,
  nonceOf,
} from '../test/support/outcomes.js';
import { refusingNode } from '../test/support/refusing-node.js';
import { startRelay } from '../test/support/start-relay.js';
import type {
  ExecutionChain,
  IntentStore,
  SimulationRequest,
  SimulationResult,
  SimulatorPort,
  VaultsPort,
} from './ports.js';
import { toNewIntent } from './intent.js';
import { verifyIntent } from '../test/support/verify-intent.js';

const nowMs = Date.now();
const aDayLater = () => nowMs + 86_400_000;
const paused: SimulationResult = { success: false, revertReason: 'EnforcedPause' };
const noVaults: VaultsPort = { byAddress: () => undefined };
const expectExecuted = async (response: Promise<object>) =>
  expect(await response).toMatchObject({ result: 'executed' });
const refusal = (message: string) => new BundlerRejection({ bundlerCode: -32500, message });
const minSharesNotMet = encodeErrorResult({
  abi: parseAbi(['error MinSharesNotMet(uint256 minimum, uint256 actual)']),
  args: [2n, 1n],
});
/** Sign a deposit that delegates its wallet. */
async function buildGasless(): Promise<ExecuteRequest> {
  const fields = {
    address: walletContracts.account,
    chainId,
    nonce: 0,
    yParity: 0,
    r: '0x',
    s: '0x',
  } as const;
  const authorization = await sign(owner, fields);
  const request = await buildIntent({ operation: { factory: eip7702Marker, authorization } });
  return withAuthorization(request, authorization);
}

function withAuthorization(request: ExecuteRequest, eip7702Auth: unknown): ExecuteRequest {
  const userOps = request.intentEnvelope.userOps.map((item) => ({ ...item, eip7702Auth }));
  return { ...request, intentEnvelope: { ...request.intentEnvelope, userOps } };
}

const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const sign = async (by: typeof owner, fields: Eip7702Auth): Promise<Eip7702Auth> => {
  const { chainId, address, nonce } = fields;
  const { r, s, yParity = 0 } = await by.signAuthorization({ chainId, address, nonce });
  return { chainId, address, nonce, yParity, r, s };
};
const authorizationOf = (request: ExecuteRequest) =>
  request.intentEnvelope.userOps[0]?.eip7702Auth as Eip7702Auth;

/** Something that a test lets happen. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

/** A simulator that returns the given result, and keeps its requests. */
function fakeSimulator() {
  const asked: SimulationRequest[] = [];
  let result: SimulationResult = { success: true };
  const simulator: SimulatorPort = {
    simulate(request) {
      asked.push(request);
      return Promise.resolve(result);
    },
  };
  return { simulator, asked, setResult: (next: SimulationResult) => (result = next) };
}

describe('createExecutionRelay', () => {
  const stores = openStores();
  const { expectState } = stores;

  /** A chain, the ledger, an intent of its own and a relay. */
  const setUp = async (parts?: IntentParts, relayMode?: ExecutionChain['relayMode']) => {
    const fake = createFakeChain(relayMode);
    /** Start another process. */
    const start = (options?: Parameters<typeof startRelay>[2]) =>
      startRelay(stores.connect(), fake.chains, options);
    return {
      fake,
      store: stores.connect(),
      start,
      request: await buildIntent(parts),
      relay: start(),
      later: start({ now: aDayLater }),
      /** Does not wait for the chain. */
      impatient: start({ waitSeconds: 0.02 }),
    };
  };

  it('default: executes, and says what the operation did', async () => {
    const { fake, request, relay } = await setUp();
    const response = await relay.execute(request);
    expect(response).toEqual({
      executionModel: 'erc4337-validator-intent-v1',
      result: 'executed',
      userOpHash: fake.sent[0],
      txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/) as string,
      chainId,
      chain: 'base',
      receipt: { status: 'success', gasUsed: '210000', blockNumber: 101 },
      explorerUrl: `https://basescan.org/tx/${response.txHash}`,
      positionUpdate: {
        vaultId: vault.vaultId,
        vaultName: vault.name,
        chain: 'base',
        sharesDelta: '9',
        assetsDelta: '10',
        effectivePrice: '1.111111111111111111',
        gasPaid: { token: vault.asset.address, amount: '0.02' },
      },
    });
  });

  it('behavior: a rebalance reports both positions, and the gas once', async () => {
    const { relay } = await setUp();
    const response = await relay.execute(await buildIntent({ hooks: [redeem, depositPrevious] }));
    expect(response.positionUpdate).toMatchObject({
      vaultId: otherVault.vaultId,
      sharesDelta: '9',
      assetsDelta: '10',
      gasPaid: { amount: '0.02' },
    });
    expect(response.sourcePositionUpdate).toMatchObject({ vaultId: vault.vaultId, gasPaid: { amount: '0' } });
    expect(response.sourcePositionUpdate?.sharesDelta).toMatch(/^-/);
  });

  it('behavior: the same intent again returns already_executed, after its expiry too', async () => {
    const { fake, request, relay, later } = await setUp();
    const executed = await relay.execute(request);
    expect(await later.execute(request)).toEqual({ ...executed, result: 'already_executed' });
    expectSent(fake, 1);
  });

  it('behavior: calls at the same time, in two processes, send once', async () => {
    const { fake, request, start } = await setUp();
    const relays = [start(), start()];
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, index) => relays[index % 2]?.execute(request)),
    );
    expect(responses.filter((answer) => answer?.result === 'executed')).toHaveLength(1);
    expect(new Set(responses.map((answer) => answer?.txHash)).size).toBe(1);
    expectSent(fake, 1);
  });

  it.each([
    ['INTENT_EXPIRED', { expiry: Math.floor(nowMs / 1000) - 1 }],
    ['INTENT_NOT_YET_VALID', { validAfter: Math.floor(nowMs / 1000) + 300 }],
  ])('error: %s, and nothing is reserved', async (reason, window) => {
    const { fake, relay } = await setUp();
    const request = await buildIntent(window);
    await expectErrorOf(TransactionValidationError, relay.execute(request), { details: { reason } });
    await expectState(request, undefined);
    expectSent(fake, 0);
  });

  it('attack: a delisted vault does not hide a submitted intent, nor one that the bundler lost', async () => {
    const { fake, impatient, relay, start } = await setUp();
    const [executed, held, lost] = [await buildIntent(), await buildIntent(), await buildIntent()];
    await relay.execute(executed);
    fake.setMode('hold');
    await caught(impatient.execute(held));
    const gated = start({
      vaults: { byAddress: () => ({ ...vault, listed: false, exclusions: ['paused'] }) },
      waitSeconds: 0,
    });
    expect(await gated.execute(executed)).toMatchObject({ result: 'already_executed' });
    await expectPending(gated.execute(held));
    fake.includeHeld();
    expect(await gated.execute(held)).toMatchObject({ receipt: { status: 'success' } });
    await caught(impatient.execute(lost));
    fake.dropHeld();
    await expectPending(gated.execute(lost));
    expectSent(fake, 3);
  });

  it.each([
    ['submitted', 'confirmed'],
    ['confirmed', undefined],
  ] as const)(
    'attack: a vault that leaves the catalogue, and another paymaster, cannot hide what is %s',
    async (state, unreached) => {
      const { fake, store } = await setUp();
      const [request, fresh] = [await buildIntent({ hooks: [redeem, depositPrevious] }), await buildIntent()];
      const dying: IntentStore = {
        ...store,
        advance: (intentId, lease, transition) =>
          transition.state === unreached
            ? Promise.reject(new Error('killed'))
            : store.advance(intentId, lease, transition),
      };
      await caught(startRelay(dying, fake.chains).execute(request));
      expect(await store.find(idOf(request))).toMatchObject({ state });

      const contracts = {
        ...localContracts(8453),
        paymaster: walletContracts.account,
        executor: walletContracts.account,
      };
      const changed = startRelay(
        store,
        { ...fake.chains, findById: () => ({ ...fake.chain, contracts }) },
        { vaults: noVaults },
      );
      expect(await changed.execute(request)).toMatchObject({
        result: state === 'confirmed' ? 'already_executed' : 'executed',
        positionUpdate: {
          vaultId: otherVault.vaultId,
          vaultName: otherVault.name,
          chain: 'base',
          sharesDelta: '9',
          assetsDelta: '10',
          gasPaid: { amount: '0.02' },
        },
        sourcePositionUpdate: { vaultId: vault.vaultId, vaultName: vault.name, sharesDelta: '-9' },
      });
      expect(await changed.execute(request)).toMatchObject({ result: 'already_executed' });
      await expectError(changed.execute(fresh), { details: { reason: 'WRONG_PAYMASTER' } });
      await expectState(fresh, undefined);
      expectSent(fake, 1);
    },
  );

  it.each([
    ['INTENT_EXPIRED', 'expired', { details: { reason: 'INTENT_EXPIRED' } }],
    ['AA25', 'failed', { details: { aaCode: 'AA25' } }],
    ['the revert reason', 'failed', { details: { revertReason: 'MinSharesNotMet' } }],
  ])(
    'error: %s, final, for a submitted intent, also when its vault is gone',
    async (reason, state, failure) => {
      const { fake, store, request, impatient, start } = await setUp();
      fake.setMode('hold');
      await caught(impatient.execute(request));
      fake.setRevertReason(minSharesNotMet);
      if (reason === 'the revert reason') fake.includeHeld();
      else fake.dropHeld();
      if (reason === 'AA25') fake.useNonceElsewhere(nonceOf(request));
      if (reason === 'INTENT_EXPIRED') fake.setTime(request.intentEnvelope.expiry + 1);
      const withoutVaults = start({
        vaults: noVaults,
        now: aDayLater,
      });
      for (const _ of [1, 2]) await expectError(withoutVaults.execute(request), failure);
      expect(await store.find(idOf(request))).toMatchObject({ state });
      expectSent(fake, 1);
    },
  );

  it('attack: a vault that leaves the catalogue does not hide an intent that a sweep or another process resolves', async () => {
    const { fake, store, impatient, start } = await setUp();
    const withoutVaults = start({ vaults: noVaults });
    const [left, request] = [await buildIntent(), await buildIntent()];
    fake.setMode('hold');
    await caught(impatient.execute(left));
    fake.includeHeld();
    await withoutVaults.resume(chainId);
    await expectState(left, 'confirmed');

    fake.setMode('include');
    const simulation = gate();
    const first = start({
      simulate: { simulate: () => simulation.opened.then(() => ({ success: true })) },
    }).execute(request);
    while (!(await store.find(idOf(request)))) await sleep(1);
    const second = withoutVaults.execute(request);
    simulation.open();
    expect(await second).toEqual({ ...(await first), result: 'already_executed' });
    expectSent(fake, 2);
  });

  it('error: a failed simulation submits nothing and deletes the reservation', async () => {
    const { fake, request, start } = await setUp();
    const { simulator, asked, setResult } = fakeSimulator();
    const relay = start({ simulate: simulator });
    setResult({ success: false, revertReason: 'INSUFFICIENT_BALANCE' });
    const error = await caught(relay.execute(request));
    expect(error).toBeInstanceOf(PreflightSimulationError);
    expect((error as PreflightSimulationError).details).toEqual({ revertReason: 'INSUFFICIENT_BALANCE' });
    setResult({ success: false, revertReason: 'AA24 signature error', aaCode: 'AA24' });
    await expectError(relay.execute(request), {
      details: { revertReason: 'AA24 signature error', aaCode: 'AA24' },
      nextAction: aaCodes.AA24.nextAction,
      retryable: false,
    });
    expectSent(fake, 0);
    await expectState(request, undefined);
    setResult({ success: true });
    await expectExecuted(relay.execute(request));
    expect(asked).toHaveLength(3);
    expect(asked[2]).toMatchObject({
      chain: 'base',
      userOpHash: fake.sent[0],
      operation: { sender: owner.address, nonce: nonceOf(request) },
    });
    // Settled by now: there is nothing left to try.
    await relay.execute(request);
    expect(asked).toHaveLength(3);
  });

  describe('an operation that delegates its wallet', () => {
    it('default: sends its authorization, and simulates with the delegation', async () => {
      const { fake, start } = await setUp();
      const { simulator, asked } = fakeSimulator();
      const request = await buildGasless();
      await expectExecuted(start({ simulate: simulator }).execute(request));
      expect(asked).toMatchObject([{ pendingDelegation: walletContracts.account, userOpHash: fake.sent[0] }]);
      expect(fake.operations).toMatchObject([
        { factory: eip7702Marker, authorization: authorizationOf(request) },
      ]);
    });

    it('behavior: goes without its authorization, by the same hash, when somebody else included that', async () => {
      const { fake, relay } = await setUp();
      fake.setWallet({ code: delegationCode(walletContracts.account), nonce: 1 });
      const response = await relay.execute(await buildGasless());
      expect(response).toMatchObject({ result: 'executed', userOpHash: fake.sent[0] });
      expect(fake.operations[0]).not.toHaveProperty('authorization');
      expect(fake.operations[0]).toHaveProperty('factory', eip7702Marker);
    });

    it('behavior: the same intent with another authorization responds from the ledger', async () => {
      const { fake, relay } = await setUp();
      const request = await buildGasless();
      const { userOpHash } = await relay.execute(request);
      const changed = { ...authorizationOf(request), nonce: 9 };
      for (const again of [withAuthorization(request, changed), withAuthorization(request, undefined)])
        expect(await relay.execute(again)).toMatchObject({ result: 'already_executed', userOpHash });
      expectSent(fake, 1);
    });

    it('behavior: after a timeout, a restarted service finds it without the authorization', async () => {
      const { fake, start, relay } = await setUp();
      fake.setMode('hold and time out');
      const request = await buildGasless();
      await expectPending(start({ waitSeconds: 0, leaseSeconds: 0 }).execute(request));
      fake.includeHeld();
      await relay.resume(chainId);
      await expectState(request, 'confirmed');
      expectSent(fake, 1);
    });

    const highS = (s: Hex): Hex => numberToHex(curveOrder - BigInt(s), { size: 32 });
    it.each<[string, string, (good: Eip7702Auth) => Eip7702Auth | Promise<Eip7702Auth> | undefined]>([
      ['eip7702Auth.signer', 'another wallet', (good) => sign(testAccount('stranger'), good)],
      [
        'eip7702Auth.address',
        'another implementation',
        (good) => sign(owner, { ...good, address: vault.vaultAddress }),
      ],
      ['eip7702Auth.chainId', 'every chain', (good) => sign(owner, { ...good, chainId: 0 })],
      ['eip7702Auth.nonce', 'another nonce', (good) => sign(owner, { ...good, nonce: 1 })],
      ['eip7702Auth.s', 'a high s', (good) => ({ ...good, s: highS(good.s), yParity: 1 - good.yParity })],
      ['eip7702Auth.signer', 'the other parity', (good) => ({ ...good, yParity: 1 - good.yParity })],
      ['eip7702Auth.yParity', 'a recovery id', (good) => ({ ...good, yParity: 27 })],
      ['eip7702Auth.r', 'a short r', (good) => ({ ...good, r: '0x12' })],
      ['eip7702Auth', 'no authorization', () => undefined],
    ])('error: UNSUPPORTED_ENVELOPE names %s for %s', async (field, _, change) => {
      const { fake, relay } = await setUp();
      const request = await buildGasless();
      const changed = withAuthorization(request, await change(authorizationOf(request)));
      await expectErrorOf(TransactionValidationError, relay.execute(changed), {
        details: { reason: 'UNSUPPORTED_ENVELOPE', field },
      });
      expectSent(fake, 0);
      await expectExecuted(relay.execute(request));
    });

    it('error: UNSUPPORTED_ENVELOPE for an authorization beside an operation without the marker', async () => {
      const { fake, request, relay } = await setUp();
      const changed = withAuthorization(request, authorizationOf(await buildGasless()));
      await expectError(relay.execute(changed), { details: { reason: 'UNSUPPORTED_ENVELOPE' } });
      expectSent(fake, 0);
    });
  });

  it.each([
    [
      'node is down',
      new UpstreamUnavailableError({ detail: 'It is down.', details: { dependency: 'rpc:base' } }),
    ],
    ['simulator has a bug', new Error('a bug')],
  ])(
    'error: a simulation that cannot be done, because the %s, is neither success nor failure',
    async (_, outage) => {
      const { fake, request, start } = await setUp();
      let isDown = true;
      const simulate: SimulatorPort = {
        simulate: () => (isDown ? Promise.reject(outage) : Promise.resolve({ success: true })),
      };
      const relay = start({ simulate });
      expect(await caught(relay.execute(request))).toBe(outage);
      expectSent(fake, 0);
      await expectState(request, undefined);
      isDown = false;
      await expectExecuted(relay.execute(request));
    },
  );

  it('attack: a call that waited for one that was told to prepare again does not send', async () => {
    const { fake, store, request, start } = await setUp();
    const failure = gate();
    const first = start({ simulate: { simulate: () => failure.opened.then(() => paused) } });
    const second = start({
      simulate: { simulate: () => Promise.resolve({ success: true }) },
    });
    const told = caught(first.execute(request));
    while (!(await store.find(idOf(request)))) await sleep(5);
    const waiting = caught(second.execute(request));
    await sleep(100);
    failure.open();
    expect(await told).toBeInstanceOf(PreflightSimulationError);
    expect(await waiting).toBeInstanceOf(TransactionPendingError);
    expectSent(fake, 0);
    await expectState(request, undefined);
  });

  it('attack: reading an intent takes no lease that another process holds', async () => {
    const { fake, start } = await setUp();
    const request = await buildIntent();
    const other = start();
    const simulate: SimulatorPort = {
      simulate: async () => {
        expect(await other.intent(idOf(request))).toMatchObject({ state: 'reserved' });
        return { success: true };
      },
    };
    await expectExecuted(start({ simulate }).execute(request));
    expectSent(fake, 1);
  });

  it('behavior: the lease is kept while a simulation takes its time', async () => {
    const { fake, store } = await setUp();
    const renewed = gate();
    const watched: IntentStore = {
      ...store,
      renew: (intentId, lease) => store.renew(intentId, lease).finally(renewed.open),
    };
    const relay = startRelay(watched, fake.chains, {
      leaseSeconds: 1,
      simulate: { simulate: () => renewed.opened.then(() => ({ success: true })) },
    });
    await expectExecuted(relay.execute(await buildIntent()));
    expectSent(fake, 1);
  });

  it('behavior: a send without a response is searched from the block of its submission', async () => {
    const { fake, relay } = await setUp();
    const { rpc } = fake.chain;
    const asked: string[] = [];
    const getLogs = rpc.getLogs as (range: unknown) => Promise<unknown>;
    Object.assign(rpc, {
      getLogs: (range: { fromBlock: bigint; toBlock: bigint }) => {
        asked.push(`${range.fromBlock}-${range.toBlock}`);
        return getLogs(range);
      },
    });
    fake.setMode('include and time out');
    await expectExecuted(relay.execute(await buildIntent()));
    expect(asked).toEqual(['100-101']);
  });

  it('attack: a process that lost the lease refuses nothing that its new owner sent', async () => {
    const { fake, store, request, start } = await setUp();
    fake.setMode('hold');
    fake.setHolds('unsupported');
    const failure = gate();
    const relay = startRelay(
      { ...store, renew: () => Promise.reject(new Error('no database')) },
      fake.chains,
      { simulate: { simulate: () => failure.opened.then(() => paused) }, leaseSeconds: 0.05, waitSeconds: 1 },
    );
    const refused = caught(relay.execute(request));
    await sleep(200);
    await caught(start({ waitSeconds: 0 }).execute(request));
    expectSent(fake, 1);
    failure.open();
    expect(await refused).toBeInstanceOf(TransactionPendingError);
  });

  it('attack: a process that lost the lease during the simulation sends nothing', async () => {
    const { fake, store, request, start } = await setUp();
    const simulation = gate();
    const cutOff: IntentStore = { ...store, renew: () => Promise.reject(new Error('the database is away')) };
    const slow = startRelay(cutOff, fake.chains, {
      leaseSeconds: 0.01,
      simulate: { simulate: () => simulation.opened.then(() => ({ success: true })) },
    });
    const late = slow.execute(request);
    const { simulator } = fakeSimulator();
    const first = await start({ simulate: simulator }).execute(request);
    expect(first.result).toBe('executed');
    simulation.open();
    expect(await late).toEqual({ ...first, result: 'already_executed' });
    expectSent(fake, 1);
  });

  it('attack: no retry simulates or sends what may be live, whatever a simulation or a rule would say', async () => {
    const { fake, request, start } = await setUp();
    const { simulator, asked, setResult } = fakeSimulator();
    for (const mode of ['hold', 'drop and time out', 'hold and time out'] as const) {
      const live = await buildIntent();
      fake.setMode(mode);
      const relay = start({ simulate: simulator, waitSeconds: 0 });
      setResult({ success: true });
      await expectPending(relay.execute(live));
      setResult(paused);
      const late = start({
        simulate: simulator,
        waitSeconds: 0,
        vaults: noVaults,
        now: aDayLater,
      });
      for (const status of [undefined, 'not_found', 'rejected']) {
        fake.setStatus(status);
        await expectPending(late.execute(live));
      }
      await expectState(live, 'submitted');
    }
    expect([asked.length, fake.sent.length]).toEqual([3, 3]);
    await expectState(request, undefined);
  });

  it('behavior: a pending operation shows the status that the bundler reports', async () => {
    const { fake, request, impatient, later } = await setUp();
    fake.setMode('hold');
    const first = await caught(impatient.execute(request));
    expect((first as TransactionPendingError).details).toEqual({ userOpHash: fake.sent[0] });
    fake.setStatus('not_submitted');
    await expectErrorOf(TransactionPendingError, impatient.execute(request), {
      details: { userOpHash: fake.sent[0], bundlerStatus: 'not_submitted' },
    });
    fake.includeHeld();
    // Even after its expiry: it was submitted in time.
    expect(await later.execute(request)).toMatchObject({ receipt: { status: 'success' } });
    expectSent(fake, 1);
  });

  it('attack: an operation that is in a block already is an execution, however its simulation fails', async () => {
    const { fake, request, start } = await setUp({ sequence: 9_100n });
    const { simulator, setResult } = fakeSimulator();
    setResult({ success: false, revertReason: 'AA25 invalid account nonce', aaCode: 'AA25' });
    const relay = start({ simulate: simulator, waitSeconds: 0.05 });
    fake.includeDirectly(request);
    fake.setLogsLag(true);
    fake.setReceipts({ node: false, bundler: false });
    await expectPending(relay.execute(request));
    fake.setLogsLag(false);
    expect(await relay.execute(request)).toMatchObject({ result: 'already_executed' });

    const taken = await buildIntent({ sequence: 9_101n });
    fake.useNonceElsewhere(nonceOf(taken));
    const refused = await caught(relay.execute(taken));
    expect(refused).toBeInstanceOf(PreflightSimulationError);
    expect(refused).toMatchObject({
      detail: expect.stringContaining('Another operation of this wallet used the nonce.') as string,
      details: { aaCode: 'AA25' },
      nextAction: errorCatalogue.TRANSACTION_SUBMISSION_FAILED.nextAction,
    });
    expectSent(fake, 0);
  });

  it('behavior: on a managed fork that was recreated, what an intent did is gone, and it runs again', async () => {
    const { fake, request, relay, start } = await setUp({}, 'managed-fork');
    const first = await relay.execute(request);
    expect(await relay.execute(request)).toEqual({ ...first, result: 'already_executed' });
    expectSent(fake, 1);

    fake.recreate();
    const relays = [relay, start()];
    const responses = await Promise.all(
      Array.from({ length: 8 }, (_, index) => relays[index % 2]?.execute(request)),
    );
    expect(responses.filter((answer) => answer?.result === 'executed')).toHaveLength(1);
    expect(responses[0]?.receipt.blockNumber).toBeGreaterThan(first.receipt.blockNumber);
    expectSent(fake, 2);
    expect(await relay.execute(request)).toMatchObject({ result: 'already_executed' });
  });

  it('error: an operation that reverted is final, until its managed fork is recreated', async () => {
    const { fake, relay } = await setUp({}, 'managed-fork');
    const [reverting, raced] = [
      await buildIntent({ sequence: 9_200n }),
      await buildIntent({ sequence: 9_201n }),
    ];
    fake.setRevertReason(minSharesNotMet);
    for (const _ of [1, 2]) {
      const error = await caught(relay.execute(reverting));
      expect(error).toBeInstanceOf(TransactionSubmissionError);
      expect(error).toMatchObject({
        details: { revertReason: 'MinSharesNotMet', txHash: keccak256(fake.sent[0]!) },
        retryable: false,
      });
    }
    expectSent(fake, 1);
    fake.useNonceElsewhere(nonceOf(raced));
    fake.setMode(refusal('AA25 invalid account nonce'));
    for (const _ of [1, 2]) await expectError(relay.execute(raced), { details: { aaCode: 'AA25' } });

    fake.recreate();
    fake.setMode('include');
    fake.setRevertReason(undefined);
    for (const request of [reverting, raced]) {
      await expectExecuted(relay.execute(request));
    }
  });

  it('error: INTENT_EXPIRED for an expired intent of a fork that is gone, and its record is deleted', async () => {
    const { fake, request, relay, later } = await setUp({}, 'managed-fork');
    await relay.execute(request);
    fake.recreate();
    await expectError(later.execute(request), { details: { reason: 'INTENT_EXPIRED' } });
    await expectState(request, undefined);
    expectSent(fake, 1);
  });

  it('attack: where wallets act on the chain itself, a final intent stays final, whatever the node returns', async () => {
    const { fake, request, relay } = await setUp({}, 'chain');
    const first = await relay.execute(request);
    fake.recreate();
    expect(await relay.execute(request)).toEqual({ ...first, result: 'already_executed' });
    expectSent(fake, 1);
  });

  it('error: an intent that the bundler refused can be sent again', async () => {
    const { fake, request, relay } = await setUp();
    fake.setMode(refusal('AA24 signature error'));
    await expectErrorOf(TransactionSubmissionError, relay.execute(request), {
      details: { aaCode: 'AA24', bundlerCode: -32500 },
      retryable: false,
    });
    await expectState(request, undefined);
    fake.setMode('include');
    await expectExecuted(relay.execute(request));
  });

  // Finding 4: the reservation was deleted, and the caller prepared again while the operation was included.
  it.each([
    [-32000, 'request timed out'],
    [-32602, 'Already known'],
    [-32500, 'AA25 invalid account nonce: User operation already present in mempool'],
  ])('attack: %i %s after the bundler accepted it keeps the intent pending', async (bundlerCode, message) => {
    const { fake, request, impatient } = await setUp();
    const bundler = fake.chain.bundler!;
    const { send } = bundler;
    fake.setMode('hold');
    const rejection = new BundlerRejection({ bundlerCode, message });
    Object.assign(bundler, {
      send: async (operation: Parameters<typeof send>[0]) => {
        await send(operation);
        fake.setMode(rejection);
        return send(operation);
      },
    });
    for (const _ of [1, 2]) await expectPending(impatient.execute(request));
    await expectState(request, 'submitted');
    fake.includeHeld();
    await expectExecuted(impatient.execute(request));
    // The second is the gateway's own repetition.
    expectSent(fake, 2);
  });

  it.each(['not_submitted', 'included'])(
    'attack: a refusal of an operation that the bundler reports as %s keeps the intent pending',
    async (status) => {
      const { fake, request, impatient } = await setUp();
      fake.setMode(refusal('AA33 reverted'));
      fake.setStatus(status);
      await expectPending(impatient.execute(request));
      await expectState(request, 'submitted');
    },
  );

  it.each([
    [-32504, 'rejected', false],
    [-32505, undefined, true],
    [-32603, 'rejected', true],
  ])(
    'behavior: %i of an operation that the bundler reports as %s',
    async (bundlerCode, status, isPending) => {
      const { fake, store, request, impatient } = await setUp();
      fake.setMode(new BundlerRejection({ bundlerCode, message: 'AA31 the paymaster is throttled' }));
      fake.setStatus(status);
      await expectError(
        impatient.execute(request),
        isPending
          ? { code: 'TRANSACTION_PENDING' }
          : { code: 'TRANSACTION_SUBMISSION_FAILED', details: { bundlerCode }, retryable: true },
      );
      expect((await store.find(idOf(request)))?.state).toBe(isPending ? 'submitted' : undefined);
    },
  );

  it('error: UpstreamUnavailableError for a send that never left the process; the next call sends', async () => {
    const { fake, request, relay } = await setUp();
    fake.setMode('refuse the connection');
    await expectErrorOf(UpstreamUnavailableError, relay.execute(request));
    await expectState(request, undefined);
    fake.setMode('include');
    await expectExecuted(relay.execute(request));
    expectSent(fake, 1);
  });

  it('error: TransactionPendingError while the node fails, once it may have been sent', async () => {
    const { fake, request, impatient } = await setUp();
    const { rpc } = fake.chain;
    const { getBlock, getBlockNumber } = rpc;
    const down = () => Promise.reject(new UpstreamFailure('rpc:base', 'timed out'));
    fake.setMode('hold');
    fake.setOnSend(() => Object.assign(rpc, { getBlock: down, getBlockNumber: down }));
    for (const _ of [1, 2])
      expect(await caught(impatient.execute(request))).toMatchObject({
        code: 'TRANSACTION_PENDING',
        details: { userOpHash: fake.sent[0], dependency: 'rpc:base' },
      });
    Object.assign(rpc, { getBlock, getBlockNumber });
    fake.includeHeld();
    await expectExecuted(impatient.execute(request));
    expectSent(fake, 1);
  });

  it('error: AA25, final, when another operation used the nonce', async () => {
    const { fake, request, relay } = await setUp();
    fake.setOnSend(() => fake.useNonceElsewhere(nonceOf(request)));
    fake.setMode(refusal('AA25 invalid account nonce'));
    for (const attempt of [1, 2]) {
      const error = await caught(relay.execute(request));
      expect([attempt, error]).toMatchObject([attempt, { details: { aaCode: 'AA25' }, retryable: false }]);
    }
    expectSent(fake, 1);
  });

  it('attack: two envelopes with one nonce: while the bundler works on the first, the second waits and is AA25', async () => {
    const { fake, relay } = await setUp();
    const first = await buildIntent({ sequence: 9_001n });
    const second = await buildIntent({ sequence: 9_001n, hooks: [redeem] });
    fake.useNonceElsewhere(nonceOf(first) - 1n);
    fake.setMode('hold');
    const winner = relay.execute(first);
    while (fake.sent.length === 0) await sleep(1);
    await sleep(20);
    const busy = 'AA25 invalid account nonce: User operation already present in mempool';
    fake.setMode(refusal(busy));
    const loser = caught(relay.execute(second));
    while (fake.sent.length === 1) await sleep(1);
    await sleep(20);
    fake.includeHeld();
    expect(await winner).toMatchObject({ result: 'executed' });
    expect(await loser).toMatchObject({ details: { aaCode: 'AA25' }, retryable: false });
    await expectState(second, 'failed');
  });

  it('attack: a bundler that is ahead of our node cannot delete the reservation of an included intent', async () => {
    const { fake, request, impatient } = await setUp({ sequence: 9_002n });
    const { rpc } = fake.chain;
    const { readContract } = rpc;
    rpc.readContract = () => Promise.resolve(nonceOf(request)) as never;
    fake.setLogsLag(true);
    await expectPending(impatient.execute(request));
    fake.setMode(refusal('AA25 invalid account nonce'));
    await expectPending(impatient.execute(request));
    await expectState(request, 'submitted');
    Object.assign(rpc, { readContract });
    fake.setLogsLag(false);
    expect(await impatient.execute(request)).toMatchObject({ receipt: { blockNumber: 101 } });
  });

  it.each([
    ['getBlock', -32000, 'header not found'],
    ['getLogs', -32019, 'block is out of range'],
  ] as const)(
    'behavior: a node that refuses %s for a block that it has not seen yet (%i %s) is asked again',
    async (read, code, message) => {
      const { fake, relay } = await setUp();
      const { rpc } = fake.chain;
      const answer = rpc[read] as (parameters: unknown) => Promise<unknown>;
      const refuse = refusingNode(code, message)[read] as typeof answer;
      let refusals = 3;
      const lag = {
        [read]: (parameters: unknown) => (refusals-- > 0 ? refuse : answer)(parameters),
      };
      fake.setOnSend(() => Object.assign(rpc, lag));
      await expectExecuted(relay.execute(await buildIntent()));
      expect(refusals).toBeLessThan(0);
      expectSent(fake, 1);
    },
  );

  it('error: TransactionPendingError while the node refuses for good what decides, and an error of the sweeper', async () => {
    const { fake, request, impatient } = await setUp();
    const { rpc } = fake.chain;
    const { getLogs } = rpc;
    const refuse = refusingNode(-32601, 'eth_getLogs is not part of this plan');
    Object.assign(rpc, { getLogs: refuse.getLogs });
    for (const _ of [1, 2]) {
      await expectErrorOf(TransactionPendingError, impatient.execute(request), {
        details: { dependency: 'rpc:base' },
        retryable: true,
      });
    }
    const swept = await caught(impatient.resume(chainId));
    expect(swept).toBeInstanceOf(AggregateError);
    const [refusal] = (swept as AggregateError).errors as unknown[];
    expect(refusal).toMatchObject({ details: { dependency: 'rpc:base' } });
    await expectState(request, 'submitted');
    Object.assign(rpc, { getLogs });
    expect(await impatient.execute(request)).toMatchObject({ receipt: { status: 'success' } });
    expectSent(fake, 1);
  });

  it('error: TransactionPendingError for a refusal of the bundler while the node does not say what it knows', async () => {
    const { fake, request, impatient } = await setUp();
    const { rpc } = fake.chain;
    const refuse = refusingNode(-32000, 'header not found');
    fake.setMode(refusal('AA24 signature error'));
    fake.setOnSend(() => Object.assign(rpc, { getBlock: refuse.getBlock }));
    await expectPending(impatient.execute(request));
    await expectState(request, 'submitted');
  });

  it('behavior: an operation that went another way, many blocks ago, was executed, and is not sent', async () => {
    const { fake, request, relay } = await setUp();
    fake.includeDirectly(request);
    fake.mine(1_900n);
    expect(await relay.execute(request)).toMatchObject({
      result: 'already_executed',
      receipt: { blockNumber: 101 },
    });
    expectSent(fake, 0);
  });

  // Finding 6: the caller read INTENT_EXPIRED, and deposited again.
  it('attack: an expired intent that the ledger lost is found on chain, and is known from then on', async () => {
    const { fake, request, later } = await setUp();
    fake.includeDirectly(request);
    fake.mine(40_000n);
    fake.setTime(request.intentEnvelope.expiry + 79_000);
    const found = await later.execute(request);
    expect(found).toMatchObject({ result: 'already_executed', receipt: { blockNumber: 101 } });
    await expectState(request, 'confirmed');
    expect(await later.execute(request)).toEqual(found);
    expectSent(fake, 0);
  });

  it('error: INTENT_EXPIRED for an expired intent that the ledger does not know, whose nonce another operation used', async () => {
    const { fake, request, later } = await setUp();
    fake.useNonceElsewhere(nonceOf(request));
    await expectError(later.execute(request), { details: { reason: 'INTENT_EXPIRED' } });
    await expectState(request, undefined);
  });

  it('error: TransactionPendingError for an expired intent that the ledger does not know, while nothing shows who used the nonce', async () => {
    const { fake, request, start } = await setUp();
    fake.includeDirectly(request);
    fake.setLogsLag(true);
    fake.setReceipts({ node: false, bundler: false });
    const later = start({ waitSeconds: 0, now: aDayLater });
    await expectPending(later.execute(request));
    fake.setReceipts({ node: true, bundler: false });
    expect(await later.execute(request)).toMatchObject({ result: 'already_executed' });
  });

  it('attack: another operation of the root, of another chain even, does not undo what was executed', async () => {
    const { fake, store, request, relay } = await setUp({}, 'managed-fork');
    await relay.execute(request);
    fake.recreate();
    const ofAnotherChain: IntentStore = {
      ...store,
      reserve: async (intent, lease) => {
        const { outcome, record } = await store.reserve(intent, lease);
        return { outcome, record: { ...record, chainId: 1, userOpHash: '0x01' } };
      },
    };
    await expectError(startRelay(ofAnotherChain, fake.chains).execute(request), {
      details: { reason: 'UNSUPPORTED_ENVELOPE' },
    });
    await expectState(request, 'confirmed');
  });

  it('error: UpstreamUnavailableError when the node is down before anything was sent', async () => {
    const { fake, request, relay } = await setUp();
    const { rpc } = fake.chain;
    const { getBlockNumber } = rpc;
    const down = () => Promise.reject(new UpstreamFailure('rpc:base', 'timed out'));
    Object.assign(rpc, { getBlockNumber: down });
    await expectErrorOf(UpstreamUnavailableError, relay.execute(request), {
      details: { dependency: 'rpc:base' },
    });
    expectSent(fake, 0);
    Object.assign(rpc, { getBlockNumber });
    await expectExecuted(relay.execute(request));
  });

  it('error: UpstreamUnavailableError where no bundler is configured, and nothing is sent', async () => {
    const { fake, request, relay } = await setUp();
    Object.assign(fake.chain, { bundler: undefined });
    await expectErrorOf(UpstreamUnavailableError, relay.execute(request), {
      details: { dependency: 'bundler:base' },
    });
  });

  it('behavior: drain ends waiting calls, refuses new ones and leaves the rest to the next process', async () => {
    const { fake, request, relay, start } = await setUp();
    fake.setMode('hold');
    const outcomes = [1, 2].map(() => caught(relay.execute(request)));
    while (fake.sent.length === 0) await sleep(1);
    await relay.drain();
    for (const outcome of outcomes) expect(await outcome).toBeInstanceOf(TransactionPendingError);
    await expectErrorOf(UpstreamUnavailableError, relay.execute(request));
    fake.includeHeld();
    await expectExecuted(start().execute(request));
    expectSent(fake, 1);
  });

  it('behavior: resume resolves submitted intents, and sends nothing', async () => {
    const { fake, impatient, relay } = await setUp();
    fake.setMode('hold');
    const [included, waiting] = [await buildIntent(), await buildIntent()];
    await caught(impatient.execute(included));
    fake.includeHeld();
    await caught(impatient.execute(waiting));
    await relay.resume(chainId);
    await expectState(included, 'confirmed');
    await expectState(waiting, 'submitted');
    expectSent(fake, 2);
    fake.includeHeld();
    await relay.resume(chainId);
    const answer = await relay.execute(waiting);
    expect(answer.result).toBe('already_executed');
    expectSent(fake, 2);
  });

  it('behavior: resume does not wait for a bundler that is silent', async () => {
    const { fake, request, impatient, relay } = await setUp();
    fake.setMode('hold');
    await caught(impatient.execute(request));
    fake.includeHeld();
    Object.assign(fake.chain.bundler!, { status: () => new Promise(() => undefined) });
    await relay.resume(chainId);
    await expectState(request, 'confirmed');
  });

  it('behavior: resume passes over an intent that it cannot resolve, and resolves the others', async () => {
    const { fake, store, request: served, impatient, relay } = await setUp();
    const lease = { owner: 'a killed process', seconds: 0 };
    const unserved = toNewIntent(await verifyIntent(await buildIntent(), fake.chains));
    await store.reserve({ ...unserved, intentId: '0x01', userOpHash: '0x01', chainId: 10 }, lease);
    const userOperation = { ...unserved.userOperation, signature: '0x' as const };
    await store.reserve({ ...unserved, intentId: '0x02', userOperation }, lease);

    fake.setMode('hold');
    await caught(impatient.execute(served));
    fake.includeHeld();
    await expectErrorOf(AggregateError, relay.resume(chainId));
    await expectState(served, 'confirmed');
    expect(await store.find('0x01')).toMatchObject({ state: 'reserved' });
    expect(await store.find('0x02')).toMatchObject({ state: 'reserved' });
  });

  it('attack: a node that hangs delays the sweep of its chain by two reads, and that of no other chain', async () => {
    const { fake, store } = await setUp();
    fake.setMode('hold');
    const up = createFakeChain();
    const upChain = { ...up.chain, key: 'ethereum', chainId: 1 } as ExecutionChain;
    const chains = { ...fake.chains, findById: (id: number) => (id === 1 ? upChain : fake.chain) };
    const impatient = startRelay(store, chains, { waitSeconds: 0 });
    for (let index = 0; index < 20; index++) {
      const name = `wallet ${index}`;
      const operation = { sender: testAccount(name).address };
      await caught(impatient.execute(await buildIntent({ key: testKey(name), operation })));
    }
    const intent = await verifyIntent(await buildIntent(), fake.chains);
    const { entryPoint, contracts } = upChain;
    const userOpHash = userOperationHash(intent.operation, entryPoint, 1, contracts.account);
    const other = toNewIntent({ ...intent, chain: upChain, userOpHash });
    await store.reserve(other, { owner: 'a killed process', seconds: 0 });
    let reads = 0;
    const hanging = gate();
    const hang = () => {
      reads++;
      return hanging.opened.then(() => Promise.reject(new HttpRequestError({ url: 'http://node' })));
    };
    Object.assign(fake.chain.rpc, { getBlock: hang, readContract: hang, getLogs: hang });
    const sweep = impatient.resume(chainId);
    await impatient.resume(1);
    expect(await store.find(other.intentId)).toBeUndefined();
    hanging.open();
    await sweep;
    // Of 15 intents.
    expect(reads).toBe(15);
  });

  it('attack: a deployment that moves to another entry point does not expire an executed intent', async () => {
    const { fake, store, request, impatient, relay } = await setUp();
    fake.setMode('hold');
    await caught(impatient.execute(request));
    fake.includeHeld();
    fake.setTime(request.intentEnvelope.expiry + 1);
    // On the other entry point the nonce is unused.
    const moved = {
      ...fake.chain,
      entryPoint: '0x0000000071727De22E5E9d8BAf0edAc6f37da032',
      rpc: { ...fake.chain.rpc, readContract: () => Promise.resolve(0n) },
    } as ExecutionChain;
    await startRelay(store, { ...fake.chains, findById: () => moved }).resume(chainId);
    await expectState(request, 'submitted');
    await expectExecuted(relay.execute(request));
  });

  describe('on a chain whose results are final two blocks later', () => {
    const setUpDeep = async () => {
      const [fake, store] = [createFakeChain('chain', 2), stores.connect()];
      const execute = (request: ExecuteRequest) =>
        startRelay(store, fake.chains, { waitSeconds: 0.05 }).execute(request);
      const resume = () => startRelay(store, fake.chains).resume(chainId);
      return { fake, store, execute, resume, request: await buildIntent() };
    };

    // Finding 10: a result was final at depth 0.
    it('behavior: a success counts at once, and is confirmed at its depth', async () => {
      const { fake, execute, resume, request } = await setUpDeep();
      const executed = await execute(request);
      expect(executed.result).toBe('executed');
      await expectState(request, 'included');
      expect(await execute(request)).toEqual({ ...executed, result: 'already_executed' });
      fake.mine(1n);
      await resume();
      await expectState(request, 'included');
      fake.mine(1n);
      await resume();
      await expectState(request, 'confirmed');
      fake.reorganise();
      expect(await execute(request)).toEqual({ ...executed, result: 'already_executed' });
      expectSent(fake, 1);
    });

    it.each(['a call', 'the sweeper'])(
      'attack: %s finds a reorganised success pending, until it is included again',
      async (who) => {
        const { fake, store, execute, resume, request } = await setUpDeep();
        const first = await execute(request);
        fake.reorganise();
        if (who === 'a call') await expectPending(execute(request));
        else await resume();
        await expectState(request, 'submitted');
        expect((await store.find(idOf(request)))?.response).toBeUndefined();
        fake.mine(5n);
        fake.includeHeld();
        const again = await execute(request);
        expect(again.receipt.blockNumber).toBe(first.receipt.blockNumber + 6);
        await expectState(request, 'included');
        expectSent(fake, 1);
      },
    );

    it('attack: a reverted operation is pending until no reorganisation can undo it', async () => {
      const { fake, execute, request } = await setUpDeep();
      fake.setRevertReason(minSharesNotMet);
      await expectPending(execute(request));
      fake.reorganise();
      await expectPending(execute(request));
      fake.setRevertReason(undefined);
      fake.includeHeld();
      await expectExecuted(execute(request));

      const reverting = await buildIntent();
      fake.setRevertReason(minSharesNotMet);
      await expectPending(execute(reverting));
      await expectState(reverting, 'submitted');
      fake.mine(2n);
      await expectError(execute(reverting), {
        details: { revertReason: 'MinSharesNotMet' },
      });
      await expectState(reverting, 'failed');
    });

    it('attack: a nonce used elsewhere is pending until no reorganisation can undo it', async () => {
      const { fake, execute, request } = await setUpDeep();
      fake.setMode('hold');
      fake.setOnSend(() => fake.useNonceElsewhere(nonceOf(request)));
      await expectPending(execute(request));
      fake.reorganise();
      fake.includeHeld();
      await expectExecuted(execute(request));

      const raced = await buildIntent();
      fake.setOnSend(() => fake.useNonceElsewhere(nonceOf(raced)));
      await expectPending(execute(raced));
      fake.mine(2n);
      await expectError(execute(raced), { details: { aaCode: 'AA25' } });
      await expectState(raced, 'failed');
    });

    it('attack: an expiry is pending until no reorganisation can undo it', async () => {
      const { fake, execute, request } = await setUpDeep();
      const { expiry } = request.intentEnvelope;
      fake.setMode('hold');
      await caught(execute(request));
      // A block takes two seconds.
      for (const seconds of [0, 1, 4]) {
        fake.setTime(expiry + seconds);
        await expectPending(execute(request));
      }
      fake.setTime(expiry + 5);
      await expectError(execute(request), { details: { reason: 'INTENT_EXPIRED' } });
      await expectState(request, 'expired');
    });
  });

  describe('intent and intents', () => {
    it('default: show an intent in each state', async () => {
      const { fake, request, start } = await setUp();
      const relay = start({ waitSeconds: 0 });
      const id = idOf(request);
      await expectErrorOf(NotFoundError, relay.intent(id));
      fake.setMode('hold');
      await caught(relay.execute(request));
      const submitted = await relay.intent(id.toUpperCase().replace('0X', '0x') as Hex);
      expect(submitted).toEqual({
        intentId: id,
        state: 'submitted',
        chain: 'base',
        chainId,
        wallet: owner.address,
        userOpHash: fake.sent[0],
        txHash: null,
        expiry: request.intentEnvelope.expiry,
        createdAt: expect.stringMatching(/^\d{4}-.*Z$/) as string,
        updatedAt: expect.stringMatching(/^\d{4}-.*Z$/) as string,
        result: null,
        failure: null,
      });
      // No call waits for it, so showing it resolves it.
      fake.includeHeld();
      const confirmed = await relay.intent(id);
      const response = await relay.execute(request);
      expect(confirmed).toMatchObject({
        state: 'confirmed',
        txHash: response.txHash,
        result: { ...response, result: 'executed' },
      });
      const [reverting, expiring] = [await buildIntent(), await buildIntent()];
      fake.setRevertReason(minSharesNotMet);
      fake.setMode('include');
      await caught(relay.execute(reverting));
      expect(await relay.intent(idOf(reverting))).toMatchObject({
        state: 'failed',
        txHash: expect.stringMatching(/^0x/) as string,
        failure: { code: 'TRANSACTION_SUBMISSION_FAILED', details: { revertReason: 'MinSharesNotMet' } },
      });
      fake.setMode('drop and time out');
      await caught(relay.execute(expiring));
      fake.setTime(expiring.intentEnvelope.expiry + 1);
      expect(await relay.intent(idOf(expiring))).toMatchObject({
        state: 'expired',
        failure: { code: 'TRANSACTION_VALIDATION_FAILED', details: { reason: 'INTENT_EXPIRED' } },
      });
      expectSent(fake, 3);
    });

    it('behavior: lists the submitted intents of a wallet, newest first', async () => {
      const { fake, store, relay } = await setUp();
      const requests = [await buildIntent(), await buildIntent(), await buildIntent()];
      for (const request of requests) await relay.execute(request);
      const reserved = toNewIntent(await verifyIntent(await buildIntent(), fake.chains));
      await store.reserve(reserved, { owner: 'a call', seconds: 60 });
      const wallet = owner.address.toLowerCase() as Address;
      const listed = await relay.intents({ wallet, limit: 2 });
      expect(listed).toMatchObject({ wallet: owner.address, count: 2 });
      expect(listed.intents.map(({ intentId }) => intentId)).toEqual(requests.slice(1).reverse().map(idOf));
      expect(await relay.intents({ wallet: vault.vaultAddress, limit: 2 })).toMatchObject({ count: 0 });
    });

    it('error: NotFoundError for an intent of a fork that was recreated', async () => {
      const { fake, request, relay } = await setUp({}, 'managed-fork');
      await relay.execute(request);
      expect(await relay.intent(idOf(request))).toMatchObject({ state: 'confirmed' });
      fake.recreate();
      await expectErrorOf(NotFoundError, relay.intent(idOf(request)));
    });
  });

  describe.each(['before', 'after'] as const)('a process killed %s a step', (moment) => {
    it.each(['the next call', 'resume and the next call'])(
      'behavior: %s bring every intent to its one end, whichever step it was',
      async (how) => {
        const { simulator: simulate } = fakeSimulator();
        let killed = true;
        let step = 0;
        for (; killed; step++) {
          expect(step).toBeLessThan(40);
          const fake = createFakeChain();
          const store = stores.connect();
          const request = await buildIntent();
          const life: Life = { left: step, dead: false };
          const dying = {
            ...fake.chain,
            rpc: killable(fake.chain.rpc, life, moment),
            bundler: fake.chain.bundler && killable(fake.chain.bundler, life, moment),
          };
          const victim = startRelay(
            // How often a lease is renewed is up to the machine, so that is no step.
            {
              ...killable(store, life, moment),
              renew: (intentId, lease) =>
                life.dead ? Promise.reject(new KilledError()) : store.renew(intentId, lease),
            },
            { ...fake.chains, findById: () => dying },
            // Its execute ends only with its wait, where every read fails.
            {
              leaseSeconds: 0.03,
              waitSeconds: 1,
              simulate: killable(simulate, life, moment),
              events: killable(createFakeEvents(fake).events, life, moment),
            },
          );
          const first = await caught(victim.execute(request));
          killed = life.dead;
          const sentBefore = fake.sent.length;

          await sleep(40);
          const start = (options: object) =>
            startRelay(stores.connect(), fake.chains, { simulate, ...options });
          const next = start({});
          if (how !== 'the next call') await next.resume(chainId);
          const wasLost = (await store.find(idOf(request)))?.state === 'submitted' && sentBefore === 0;
          if (wasLost) {
            // It may have been sent, so it is not sent again.
            await expectPending(start({ waitSeconds: 0 }).execute(request));
            fake.setTime(request.intentEnvelope.expiry + 1);
          }
          const answer = await caught(next.execute(request));
          expect(answer).toMatchObject(
            wasLost ? { details: { reason: 'INTENT_EXPIRED' } } : { receipt: { status: 'success' } },
          );
          await expectState(request, wasLost ? 'expired' : 'confirmed');
          // The bundler includes at once here, so it must receive each operation once.
          expectSent(fake, wasLost ? 0 : Math.max(sentBefore, 1));
          if (!killed) expect(first).toMatchObject({ result: 'executed' });
        }
        // Each of the ledger's five states, and the calls between them, was a place to die.
        expect(step).toBeGreaterThan(8);
      },
    );
  });
});
