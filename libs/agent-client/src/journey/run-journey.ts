import { addressOf } from '../sign/signer.js';
import type { StatusResponse, VaultCandidate } from '../types.js';
import { agentAddressBook } from '../verify/address-book/agent-address-book.js';
import { printable } from '../verify/wire-values.js';
import { carryOut } from './carry-out.js';
import { chooseVault, type Wish } from './choose-vault.js';
import { findToken } from './find-token.js';
import { createNode } from './node.js';
import type { Agent, Outcome } from './types.js';

/** An agent with money that is idle. */
export interface JourneyOptions extends Agent, Wish {
  /** Symbol of what it holds, e.g. `USDC`. */
  readonly asset: string;
  /** How much of it, in human units. */
  readonly amount: string;
}

/** A journey that arrived. */
export interface Journey extends Outcome {
  readonly vault: VaultCandidate;
  /** As the service shows it; not when it does not show it yet, or does not answer now. */
  readonly position: StatusResponse['positions'][number] | undefined;
}

/**
 * Take a wallet from its key to an earning position: discover, prepare, set up, prepare, execute, status. Nothing is
 * signed before it is verified.
 *
 * @returns The vault, what was signed and executed, and the position where the service shows it.
 * @throws {JourneyError} When no vault fits, the address book knows the chain or the asset not, or the node is of
 * another chain.
 * @throws {VerificationError | UnknownModulesError | IntentPendingError | SetupPendingError | IntentFailedError} As
 * `carryOut`.
 * @throws {InvalidParametersError | ApiError | ServiceUnreachableError | MalformedAnswerError | NodeFailedError} As
 * `carryOut`.
 */
export async function runJourney(options: JourneyOptions): Promise<Journey> {
  const { client, signer, chain, asset, amount, strategy, riskTolerance, minApy, vaults, ...rest } = options;
  const agent: Agent = { ...rest, client, signer, chain };
  const token = findToken(options.addressBook ?? agentAddressBook, chain, asset);
  // Before discover is paid for.
  await createNode(options.rpcUrl).requireChain(chain, token.chainId);
  const vault = await chooseVault(agent, { strategy, riskTolerance, minApy, vaults }, token);
  agent.onProgress?.(
    `Chose ${printable(vault.name)}: ${vault.apy.now.toFixed(2)} % APY, risk ${printable(vault.risk.level)}`,
  );
  const outcome = await carryOut(agent, { operation: 'deposit', vault: vault.vaultAddress, asset, amount });
  return { vault, ...outcome, position: await positionOf(agent, vault) };
}

// The money is where it should be: a failure from here on would read as if it were not, and invite to send it again.
async function positionOf({ client, signer }: Agent, vault: VaultCandidate): Promise<Journey['position']> {
  try {
    const { positions } = await client.status(await addressOf(signer));
    return positions.find(({ vaultId }) => vaultId === vault.vaultId);
  } catch {
    return undefined;
  }
}
