import { entryPointV08Abi } from '@yield-vault/contracts';
import { vaultIdOf } from '@yield-vault/protocol';
import { startFakeRpc, testAccount, type FakeRpc } from '@yield-vault/testing';
import { encodeAbiParameters, numberToHex, toFunctionSelector } from 'viem';
import { vault } from '../../test/support/book.js';
import { buildPrepared, deposit } from '../../test/support/build-prepared.js';
import { ApiError } from '../errors.js';
import type { AgentClient } from '../http/create-agent-client.js';
import { localAddressBook } from '../verify/address-book/local-address-book.js';
import { runJourney } from './run-journey.js';

const signer = testAccount('owner');
const vaultId = vaultIdOf(8453, vault);
const candidate = {
  vaultId,
  vaultAddress: vault,
  name: 'Steady\u001b[2J',
  apy: { now: 5 },
  risk: { level: 'low' },
};
const position = { vaultId, currentValue: '25' };
const word = (value: bigint) => encodeAbiParameters([{ type: 'uint256' }], [value]);
const getNonce = toFunctionSelector(
  entryPointV08Abi.find((item) => 'name' in item && item.name === 'getNonce')!,
);
const decimals = toFunctionSelector('decimals()');

describe('runJourney', () => {
  let rpc: FakeRpc;
  let chainId: number;
  beforeEach(() => (chainId = 8453));
  beforeAll(async () => {
    rpc = await startFakeRpc({
      eth_chainId: () => numberToHex(chainId),
      eth_call: ([call]) => {
        const { data } = call as { data: string };
        if (data.startsWith(decimals)) return word(18n);
        return word(data.startsWith(getNonce) ? 7n : deposit.minShares);
      },
    });
  });
  afterAll(() => rpc.stop());

  const journeyWith = (status: () => Promise<unknown>) => {
    const expiry = Math.floor(Date.now() / 1_000) + 600;
    const execute = jest.fn(() => Promise.resolve({ txHash: '0x12' }));
    const discover = jest.fn(() => Promise.resolve({ vaults: [candidate] }));
    const client = {
      discover,
      prepare: () =>
        Promise.resolve({ needsSetup: false, execution: { intentEnvelope: buildPrepared({ expiry }) } }),
      execute,
      status,
    } as unknown as AgentClient;
    const progress: string[] = [];
    const journey = runJourney({
      ...{ client, signer, rpcUrl: rpc.rpcUrl, chain: 'base', addressBook: localAddressBook },
      ...{ asset: 'USDC', amount: '25' },
      onProgress: (message) => progress.push(message),
    });
    return { discover, execute, journey, progress };
  };

  it('default: the vault, what was executed, and the position', async () => {
    const { journey, execute } = journeyWith(() => Promise.resolve({ positions: [position] }));
    expect(await journey).toMatchObject({ vault: candidate, execution: { txHash: '0x12' }, position });
    expect(execute).toHaveBeenCalledTimes(1);
  });

  it('behavior: a name of the service cannot write on the terminal', async () => {
    const { journey, progress } = journeyWith(() => Promise.resolve({ positions: [] }));
    await journey;
    expect(progress[0]).toContain('Steady\\u001b[2J: 5.00 % APY');
  });

  it('error: CHAIN_MISMATCH before discover is asked', async () => {
    chainId = 10;
    const { journey, discover } = journeyWith(() => Promise.resolve({ positions: [] }));
    await expect(journey).rejects.toMatchObject({ name: 'JourneyError', code: 'CHAIN_MISMATCH' });
    expect(discover).not.toHaveBeenCalled();
  });

  it('behavior: a status that fails does not make what was executed a failure', async () => {
    const down = new ApiError({ status: 503, error: 'Down', code: 'UPSTREAM_UNAVAILABLE', retryable: true });
    const { journey, execute } = journeyWith(() => Promise.reject(down));
    expect(await journey).toMatchObject({ execution: { txHash: '0x12' }, position: undefined });
    expect(execute).toHaveBeenCalledTimes(1);
  });
});
