import { vaultIdOf } from '@yield-vault/protocol';
import type { Address } from 'viem';
import { otherVault, stranger, usdc, vault } from '../../test/support/book.js';
import type { AgentClient } from '../http/create-agent-client.js';
import type { VaultCandidate } from '../types.js';
import { chooseVault } from './choose-vault.js';

const token = { chainId: 8453, address: usdc, symbol: 'USDC', decimals: 6 };
const candidate = (vaultAddress: Address, vaultId = vaultIdOf(8453, vaultAddress)) =>
  ({ vaultId, vaultAddress }) as VaultCandidate;
const agentOf = (...vaults: VaultCandidate[]) => {
  const discover = jest.fn(() => Promise.resolve({ vaults }));
  return { discover, agent: { client: { discover } as unknown as AgentClient, chain: 'base' } };
};

describe('chooseVault', () => {
  it('default: the first one, with the filters of the agent', async () => {
    const { agent, discover } = agentOf(candidate(vault), candidate(otherVault));
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
    const { agent } = agentOf(candidate(stranger), candidate(otherVault));
    const vaults: Address[] = [vault, `0x${otherVault.slice(2).toLowerCase()}`];
    expect((await chooseVault(agent, { vaults }, token)).vaultAddress).toBe(otherVault);
  });

  it('behavior: passes over an id that is not of the address', async () => {
    const { agent } = agentOf(candidate(stranger, vaultIdOf(8453, vault)), candidate(otherVault));
    expect((await chooseVault(agent, {}, token)).vaultAddress).toBe(otherVault);
  });

  it('error: NO_VAULT', async () => {
    const { agent } = agentOf(candidate(stranger));
    await expect(chooseVault(agent, { vaults: [] }, token)).rejects.toMatchObject({ code: 'NO_VAULT' });
  });
});
