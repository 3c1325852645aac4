import { vaultIdOf, type StatusResponse, type VaultCandidate } from '@yield-vault/protocol';
import { isAddress, isAddressEqual, type Address } from 'viem';
import { FlowError } from '../errors.js';
import { addressOf } from '../sign/signer.js';
import type { DiscoverRequest } from '../types.js';
import { agentAddressBook, type BookToken } from '../verify/address-book.js';
import { execute } from './execute.js';
import { findToken } from './expected-operation.js';
import { walletNodeOf } from './wallet-node.js';
import type { Agent, ExecuteResult } from './types.js';

const maxCandidates = 20;

/** Which vault the agent accepts. */
export interface VaultFilter extends Pick<DiscoverRequest, 'strategy' | 'riskTolerance' | 'minApy'> {
  /** Choose only among these vaults. Without them, trust the ranking of the service. */
  readonly vaults?: readonly Address[] | undefined;
}

/** An agent that wants to deposit. */
export type RunOptions = Agent &
  VaultFilter & {
    /** Symbol of the asset it holds, e.g. `USDC`. */
    readonly asset: string;
    /** Human units of the asset. */
    readonly amount: string;
  };

export interface RunResult extends ExecuteResult {
  readonly vault: VaultCandidate;
  /** `undefined` while the service does not show the position. */
  readonly position: StatusResponse['positions'][number] | undefined;
}

/**
 * Take a wallet from its key to an earning position: discover, prepare, set up, prepare, execute, status. Nothing is
 * signed before it is verified.
 *
 * @returns the vault, the verified intent, its execution and the position
 * @throws {FlowError} when no vault fits, the address book lacks the chain or asset, or the node serves another chain
 * @throws {VerificationError | UnknownModulesError | IntentPendingError | SetupPendingError | IntentFailedError |
 * InvalidParametersError | ApiError | ServiceUnreachableError | MalformedResponseError | NodeFailedError} as `execute`
 */
export async function run(options: RunOptions): Promise<RunResult> {
  const { asset, amount, strategy, riskTolerance, minApy, vaults, ...agent } = options;
  const token = findToken(agent.addressBook ?? agentAddressBook, agent.chain, asset);
  // Check the node first, because discover may cost a payment.
  await walletNodeOf(agent).requireChain(agent.chain, token.chainId);
  const vault = await chooseVault(agent, { strategy, riskTolerance, minApy, vaults }, token);
  agent.onProgress?.({ type: 'vault-chosen', vault });
  const executed = await execute(agent, { operation: 'deposit', vault: vault.vaultAddress, asset, amount });
  return { vault, ...executed, position: await positionOf(agent, vault) };
}

/**
 * Choose the best vault of an asset among those that the agent accepts.
 *
 * @throws {FlowError} `NO_VAULT` when there is none
 */
export async function chooseVault(
  { client, chain }: Pick<Agent, 'client' | 'chain'>,
  { vaults: accepted, ...filters }: VaultFilter,
  { chainId, symbol }: BookToken,
): Promise<VaultCandidate> {
  const { vaults } = await client.discover({ chain, asset: symbol, ...filters, limit: maxCandidates });
  const best = vaults.find(
    ({ vaultId, vaultAddress }) =>
      // The service sends checksummed addresses. `isAddress` refuses a wrong checksum.
      isAddress(vaultAddress) &&
      vaultId === vaultIdOf(chainId, vaultAddress) &&
      (accepted?.some((one) => isAddressEqual(one, vaultAddress)) ?? true),
  );
  if (!best) throw new FlowError('NO_VAULT', `No vault for ${symbol} on ${chain} fits.`);
  return best;
}

// The deposit succeeded. An error here would look like a failed deposit and invite a second one.
async function positionOf({ client, signer }: Agent, vault: VaultCandidate): Promise<RunResult['position']> {
  try {
    const { positions } = await client.status(await addressOf(signer));
    return positions.find(({ vaultId }) => vaultId === vault.vaultId);
  } catch {
    return undefined;
  }
}
