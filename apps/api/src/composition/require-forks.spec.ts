import type { ChainConfig } from '@yield-vault/chains';
import {
  ForksNotConfiguredError,
  type ExecuteRequest,
  type PrepareRequest,
  type SetupRelayRequest,
} from '@yield-vault/protocol';
import {
  buildDeposit,
  buildExecute,
  buildSetupRelay,
  buildTicket,
} from '../../test/support/build-requests.js';
import { fakeFeatures } from '../../test/support/fake-features.js';
import { examples } from '../openapi/examples.js';
import { requireForks } from './require-forks.js';

const managed = { chainId: 8453, relayMode: 'managed-fork' } as ChainConfig;
const plain = { chainId: 1, relayMode: 'chain' } as ChainConfig;

function build(isConfigured: boolean, chains = { base: managed, ethereum: plain }) {
  const { features, calls } = fakeFeatures();
  return { features: requireForks(features, chains, isConfigured), calls };
}
const prepare = (chain: string) => buildDeposit({ chain }) as unknown as PrepareRequest;
const relay = (chainId: number) =>
  buildSetupRelay({ setupTicket: buildTicket({ chainId }) }) as unknown as SetupRelayRequest;
const execute = (chainId: number) => {
  const request = buildExecute() as unknown as ExecuteRequest;
  return { ...request, intentEnvelope: { ...request.intentEnvelope, chainId } };
};

describe('requireForks', () => {
  it('default: with forks, every call goes through', async () => {
    const { features, calls } = build(true);
    await features.intents.prepare(prepare('base'));
    await features.setupRelay.relay(relay(8453));
    await features.executionRelay.execute(execute(8453));
    await features.positions.status(examples.agentAddress);
    expect([calls.prepare, calls.relay, calls.execute, calls.status].map(({ length }) => length)).toEqual([
      1, 1, 1, 1,
    ]);
  });

  it('error: ForksNotConfiguredError where a managed fork is meant and none is configured', async () => {
    const { features, calls } = build(false);
    const refused = [
      features.intents.prepare(prepare('base')),
      features.setupRelay.relay(relay(8453)),
      features.executionRelay.execute(execute(8453)),
      features.positions.status(examples.agentAddress),
    ];
    for (const call of refused) {
      const error: unknown = await call.catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ForksNotConfiguredError);
      expect(error).toMatchObject({ details: { chain: 'base' } });
    }
    expect([...calls.prepare, ...calls.relay, ...calls.execute, ...calls.status]).toEqual([]);
  });

  it('behavior: without forks, chains that need none work as ever', async () => {
    const { features } = build(false);
    await features.intents.prepare(prepare('ethereum'));
    await features.setupRelay.relay(relay(1));
    await features.executionRelay.execute(execute(1));
    const alone = build(false, { base: { ...managed, relayMode: 'chain' }, ethereum: plain });
    await expect(alone.features.positions.status(examples.agentAddress)).resolves.toBeDefined();
  });

  it('behavior: resuming and draining are not refused', async () => {
    const { features, calls } = build(false);
    await features.executionRelay.resume();
    await features.executionRelay.drain();
    await features.setupRelay.drain();
    expect(calls.log).toEqual(['executionRelay.resume', 'executionRelay.drain', 'setupRelay.drain']);
  });
});
