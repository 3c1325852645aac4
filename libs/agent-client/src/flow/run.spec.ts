import { entryPointV08Abi } from '@yield-vault/contracts';
import { vaultIdOf } from '@yield-vault/protocol';
import { delegationCode } from '@yield-vault/smart-account';
import { startFakeRpc, testAccount, type FakeRpc } from '@yield-vault/testing';
import { encodeAbiParameters, numberToHex, toFunctionSelector, type Address } from 'viem';
import { local, otherVault, stranger, usdc, vault } from '../../test/support/book.js';
import { buildPrepared, deposit } from '../../test/support/build-prepared.js';
import { ApiError } from '../errors.js';
import type { AgentClient } from '../http/create-agent-client.js';
import { localAddressBook } from '../verify/address-book.js';
import type { VaultCandidate } from '../types.js';
import { chooseVault, run } from './run.js';

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

describe('run', () => {
  let rpc: FakeRpc;
  let chainId: number;
  beforeEach(() => (chainId = 8453));
  beforeAll(async () => {
    rpc = await startFakeRpc({
      eth_chainId: () => numberToHex(chainId),
      eth_getCode: () => delegationCode(local.account),
      eth_call: ([call]) => {
        const { data } = call as { data: string };
        if (data.startsWith(decimals)) return word(18n);
        return word(data.startsWith(getNonce) ? 7n : deposit.minShares);
      },
    });
  });
  afterAll(() => rpc.stop());

  const runWith = (status: () => Promise<unknown>) => {
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
    const result = run({
      ...{ client, signer, rpcUrl: rpc.rpcUrl, chain: 'base', addressBook: localAddressBook },
      ...{ asset: 'USDC', amount: '25' },
      onProgress: (message) => progress.push(message),
    });
    return { discover, execute, result, progress };
  };

  it('default: the vault, the execution and the position', async () => {
    const { result, execute } = runWith(() => Promise.resolve({ positions: [position] }));
    expect(await result).toMatchObject({ vault: candidate, execution: { txHash: '0x12' }, position });
    expect(execute).toHaveBeenCalledTimes(1);
  });

  it('behavior: a name of the service cannot write on the terminal', async () => {
    const { result, progress } = runWith(() => Promise.resolve({ positions: [] }));
    await result;
    expect(progress[0]).toContain('Steady\\u001b[2J: 5.00 % APY');
  });

  it('error: CHAIN_MISMATCH before discover is called', async () => {
    chainId = 10;
    const { result, discover } = runWith(() => Promise.resolve({ positions: [] }));
    await expect(result).rejects.toMatchObject({ name: 'FlowError', code: 'CHAIN_MISMATCH' });
    expect(discover).not.toHaveBeenCalled();
  });

  it('behavior: a failed status does not fail an executed operation', async () => {
    const down = new ApiError({ status: 503, error: 'Down', code: 'UPSTREAM_UNAVAILABLE', retryable: true });
    const { result, execute } = runWith(() => Promise.reject(down));
    expect(await result).toMatchObject({ execution: { txHash: '0x12' }, position: undefined });
    expect(execute).toHaveBeenCalledTimes(1);
  });
});

const token = { chainId: 8453, address: usdc, symbol: 'USDC', decimals: 6 };
const candidateOf = (vaultAddress: Address, vaultId = vaultIdOf(8453, vaultAddress)) =>
  ({ vaultId, vaultAddress }) as VaultCandidate;
const agentOf = (...vaults: VaultCandidate[]) => {
  const discover = jest.fn(() => Promise.resolve({ vaults }));
  return { discover, agent: { client: { discover } as unknown as AgentClient, chain: 'base' } };
};

describe('chooseVault', () => {
  it('default: the first one, with the filters of the agent', async () => {
    const { agent, discover } = agentOf(candidateOf(vault), candidateOf(otherVault));
    expect((await chooseVault(agent, { strategy: 'balanced', minApy: 2 }, token)).vaultAddress).toBe(vault);
    expect(discover).toHaveBeenCalledWith({
      chain: 'base',
      asset: 'USDC',
      strategy: 'balanced',
      minApy: 2,
      limit: 20,
    });
  });

  it('behavior: the best of those that the agent accepts, in any case', async () => {
    const { agent } = agentOf(candidateOf(stranger), candidateOf(otherVault));
    const vaults: Address[] = [vault, `0x${otherVault.slice(2).toLowerCase()}`];
    expect((await chooseVault(agent, { vaults }, token)).vaultAddress).toBe(otherVault);
  });

  it('behavior: passes over an id that is not of the address', async () => {
    const { agent } = agentOf(candidateOf(stranger, vaultIdOf(8453, vault)), candidateOf(otherVault));
    expect((await chooseVault(agent, {}, token)).vaultAddress).toBe(otherVault);
  });

  it('error: NO_VAULT', async () => {
    const { agent } = agentOf(candidateOf(stranger));
    await expect(chooseVault(agent, { vaults: [] }, token)).rejects.toMatchObject({ code: 'NO_VAULT' });
  });
});
