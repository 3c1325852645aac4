import { buildIntent, chainId, vault } from '../test/support/build-intent.js';
import { createFakeChain } from '../test/support/fake-chain.js';
import { openStores } from '../test/support/open-stores.js';
import { expectPending } from '../test/support/outcomes.js';
import { createExecutionRelay } from './execution-relay.js';

const stores = openStores();

it('onResolved: each final state once, whether a call or the sweeper stores it', async () => {
  const fake = createFakeChain();
  const states: string[] = [];
  const relay = createExecutionRelay({
    chains: fake.chains,
    store: stores.connect(),
    vaults: { byAddress: () => vault },
    options: { waitSeconds: 0, lifetimeSeconds: 600 },
    onResolved: (state) => states.push(state),
  });
  const [confirmed, failed, expired] = [await buildIntent(), await buildIntent(), await buildIntent()];
  for (const _ of [1, 2]) await relay.execute(confirmed);
  fake.setRevertReason('0x');
  for (const _ of [1, 2]) await expect(relay.execute(failed)).rejects.toThrow();
  fake.setMode('hold');
  await expectPending(relay.execute(expired));
  fake.dropHeld();
  fake.setTime(expired.intentEnvelope.expiry + 1);
  for (const _ of [1, 2]) await relay.resume(chainId);
  expect(states).toEqual(['confirmed', 'failed', 'expired']);
});
