import {
  TransactionPendingError,
  TransactionValidationError,
  UpstreamUnavailableError,
} from '@yield-vault/protocol';
import { buildIntent, chainId, vault, type IntentParts } from '../test/support/build-intent.js';
import { createFakeChain } from '../test/support/fake-chain.js';
import { openStores } from '../test/support/open-stores.js';
import { caught, expectPending, expectSent, idOf } from '../test/support/outcomes.js';
import { startRelay } from '../test/support/start-relay.js';
import type { SimulatorPort, VaultsPort } from './ports.js';

const nowMs = Date.now();
const paused: VaultsPort = { byAddress: () => ({ ...vault, listed: false, exclusions: ['paused'] }) };
const gone: VaultsPort = { byAddress: () => undefined };
const failing: SimulatorPort = {
  simulate: () => Promise.resolve({ success: false, revertReason: 'EnforcedPause' }),
};
const refusals = [
  ['a rule', { vaults: paused }],
  ['a simulation', { simulate: failing }],
  ['its expiry', { now: () => nowMs + 86_400_000 }],
] as const;

const stores = openStores();
const { expectState } = stores;

describe('an intent that the ledger lost after its send', () => {
  /** A submitted intent that the bundler holds, and whose row is lost. */
  const setUp = async (parts?: IntentParts) => {
    const [fake, store] = [createFakeChain(), stores.connect()];
    const request = await buildIntent(parts);
    fake.setMode('hold');
    await caught(startRelay(store, fake.chains, { waitSeconds: 0 }).execute(request));
    await stores.clear();
    const execute = (options: Parameters<typeof startRelay>[2]) =>
      caught(startRelay(store, fake.chains, { waitSeconds: 0, ...options }).execute(request));
    return { fake, store, request, execute };
  };

  describe.each(refusals)('refused by %s', (_, options) => {
    it('attack: is pending while the bundler holds it, and never sent again', async () => {
      const { fake, execute } = await setUp();
      expect(await execute(options)).toBeInstanceOf(TransactionPendingError);
      expectSent(fake, 1);
    });

    it.each(['unsupported', 'included'] as const)(
      'behavior: the refusal stands where the bundler says %s',
      async (holds) => {
        const { fake, request, execute } = await setUp();
        fake.setHolds(holds);
        const error = await execute(options);
        expect(error).not.toBeInstanceOf(TransactionPendingError);
        expect(error).toMatchObject({ retryable: false });
        await expectState(request, undefined);
      },
    );

    it('error: UpstreamUnavailableError when the bundler does not respond', async () => {
      const { fake, execute } = await setUp();
      fake.setHolds('down');
      expect(await execute(options)).toBeInstanceOf(UpstreamUnavailableError);
    });
  });

  it('attack: is pending after a restore that lost it, until its nonce is used or it expires', async () => {
    const { fake, execute, request } = await setUp();
    fake.setHolds('unsupported');
    await stores.noteRestore();
    expect(await execute({ vaults: paused })).toBeInstanceOf(TransactionPendingError);
    fake.setTime(request.intentEnvelope.expiry + 1);
    expect(await execute({ vaults: paused })).toMatchObject({ details: { reason: 'INTENT_EXPIRED' } });
    expectSent(fake, 1);
  });

  it('behavior: an envelope that was prepared after the restore is refused', async () => {
    const { fake, execute } = await setUp({ expiry: Math.floor(nowMs / 1000) + 600 + 55 });
    fake.setHolds('unsupported');
    await stores.noteRestore();
    // It was prepared 125 s after the restore by a deployment whose intents live 530 s.
    const error = await execute({ vaults: paused, lifetimeSeconds: 530, now: () => nowMs + 120_000 });
    expect(error).toBeInstanceOf(TransactionValidationError);
  });

  it('behavior: its result is found when it is included', async () => {
    const { fake, request, execute } = await setUp();
    fake.includeHeld();
    expect(await execute({ vaults: paused })).toMatchObject({ result: 'already_executed' });
    await expectState(request, 'confirmed');
  });

  it.each(['held', 'restored'])(
    'behavior: without the vault it is refused after its expiry, also when %s',
    async (why) => {
      const { fake, execute, request } = await setUp();
      if (why === 'restored') await stores.noteRestore();
      expect(await execute({ vaults: gone })).toBeInstanceOf(TransactionPendingError);
      fake.setTime(request.intentEnvelope.expiry + 1);
      expect(await execute({ vaults: gone })).toMatchObject({ details: { reason: 'UNLISTED_VAULT' } });
      expectSent(fake, 1);
    },
  );

  it('attack: no response says to prepare again after an inclusion, even without the vault', async () => {
    const { fake, execute } = await setUp();
    fake.includeHeld();
    const error = (await execute({ vaults: gone })) as TransactionValidationError;
    expect(error.details).toMatchObject({ reason: 'UNLISTED_VAULT', txHash: expect.any(String) });
    expect(error.nextAction).not.toMatch(/prepare/);
  });
});

describe('an intent without its event', () => {
  const setUp = async () => {
    const [fake, store] = [createFakeChain(), stores.connect()];
    fake.setLogsLag(true);
    fake.setReceipts({ node: false, bundler: false });
    const request = await buildIntent();
    const relay = startRelay(store, fake.chains, { waitSeconds: 0 });
    const stateOf = async () => (await store.find(idOf(request)))?.state;
    return { fake, request, relay, stateOf };
  };

  it('attack: stays open while nothing else shows who used its nonce, also after its expiry', async () => {
    const { fake, request, relay, stateOf } = await setUp();
    await caught(relay.execute(request));
    fake.mine(65n);
    await expectPending(relay.execute(request));
    fake.mine(2_000n);
    fake.setTime(request.intentEnvelope.expiry + 3_400);
    await relay.resume(chainId);
    expect(await stateOf()).toBe('submitted');
    fake.setLogsLag(false);
    expect(await relay.execute(request)).toMatchObject({ receipt: { blockNumber: 101 } });
  });
});
