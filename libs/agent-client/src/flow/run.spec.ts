import { vaultIdOf } from '@yield-vault/protocol';
import type { Address } from 'viem';
import { otherVault, stranger, usdc, vault } from '../../test/support/book.js';
import { buildExecution, fakeExecute } from '../../test/support/build-execution.js';
import { buildPrepared, soon } from '../../test/support/build-prepared.js';
import { useOwnNode } from '../../test/support/own-node.js';
import { ApiError } from '../errors.js';
import type { AgentClient } from '../http/create-agent-client.js';
import type { VaultCandidate } from '@yield-vault/protocol';
import { describeEvent } from './events.js';
import { chooseVault, run } from './run.js';

const vaultId = vaultIdOf(8453, vault);
const candidate = {
  vaultId,
  vaultAddress: vault,
  name: 'Steady\u001b[2J',
  apy: { now: 5 },
  risk: { level: 'low' },
};
const position = { vaultId, currentValue: '25' };

describe('run', () => {
  const own = useOwnNode();

  const runWith = (status: () => Promise<unknown>) => {
    const intentEnvelope = buildPrepared({ expiry: soon() });
    const execute = fakeExecute();
    const discover = jest.fn(() => Promise.resolve({ vaults: [candidate] }));
    const prepare = () => Promise.resolve({ needsSetup: false, execution: { intentEnvelope } });
    const progress: string[] = [];
    const agent = own.agentOf({ discover, prepare, execute, status }, (event) =>
      progress.push(...describeEvent(event)),
    );
    const result = run({ ...agent, asset: 'USDC', amount: '25' });
    const execution = buildExecution(intentEnvelope);
    return { discover, execute, execution, result, progress };
  };

  it('default: the vault, the execution and the position', async () => {
    const { result, execute, execution } = runWith(() => Promise.resolve({ positions: [position] }));
    expect(await result).toMatchObject({ vault: candidate, execution, position });
    expect(execute).toHaveBeenCalledTimes(1);
  });

  it('behavior: a name of the service cannot write on the terminal', async () => {
    const { result, progress } = runWith(() => Promise.resolve({ positions: [] }));
    await result;
    expect(progress[0]).toContain('Steady\\u001b[2J: 5.00 % APY');
  });

  it('error: CHAIN_MISMATCH before discover is called', async () => {
    own.chainId = 10;
    const { result, discover } = runWith(() => Promise.resolve({ positions: [] }));
    await expect(result).rejects.toMatchObject({ name: 'FlowError', code: 'CHAIN_MISMATCH' });
    expect(discover).not.toHaveBeenCalled();
  });

  it('behavior: a failed status does not fail an executed operation', async () => {
    const down = new ApiError({ status: 503, error: 'Down', code: 'UPSTREAM_UNAVAILABLE', retryable: true });
    const { result, execute, execution } = runWith(() => Promise.reject(down));
    expect(await result).toMatchObject({ execution, position: undefined });
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
