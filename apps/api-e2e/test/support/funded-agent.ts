import { fundWallet } from '@yield-vault/devnet';
import type { PrepareResponse, PrepareSetupResponse, VaultCandidate } from '@yield-vault/protocol';
import type { Hex } from 'viem';
import { generatePrivateKey } from 'viem/accounts';
import type { Agent, CreateAgent } from './agent.js';
import type { ApiClient } from './api-client.js';
import { devnetChains, forkedChains } from './devnet.js';
import { createViemAgent, createViemAgentOf } from './viem-agent.js';

/** An agent whose key a test may misuse. */
export interface FundedAgent extends Agent {
  readonly address: `0x${string}`;
  readonly privateKey: Hex;
}

/** Make an agent on a chain itself, with 0.005 ETH and 50 USDC. */
export async function fundedAgent(chain: 'base' | 'ethereum' = 'base'): Promise<FundedAgent> {
  const local = devnetChains()[chain];
  const privateKey = generatePrivateKey();
  const agent = await createViemAgentOf(privateKey, local.rpcUrl);
  await fundWallet(local, agent.address, { ethWei: 5n * 10n ** 15n, usdc: 50_000_000n });
  return { ...agent, privateKey };
}

/** Make an agent on the persistent fork of a chain, with 0.005 ETH and 50 USDC from the service. */
export async function agentOnFork(
  api: ApiClient,
  chain: 'base' | 'ethereum' = 'base',
  createAgent: CreateAgent = createViemAgent,
): Promise<Agent> {
  const agent = await createAgent(forkedChains()[chain].walletRpcUrl);
  const walletAddress = agent.address;
  await api.fundWallet({ chain, walletAddress, ethWei: '5000000000000000', usdcAmount: '50000000' });
  return agent;
}

/** Find the best USDC vault of a chain. */
export async function usdcVault(api: ApiClient, chain = 'base'): Promise<VaultCandidate> {
  const { vaults } = await api.discover({ chain, asset: 'USDC' });
  const [best] = vaults;
  if (!best) throw new Error(`No USDC vault is listed on ${chain}`);
  return best;
}

/** Ask for a setup. */
export async function prepareSetup(
  api: ApiClient,
  agent: Agent,
  vaultId: string,
  chain = 'base',
): Promise<PrepareSetupResponse> {
  const prepared = await prepareDeposit(api, agent, vaultId, '5', chain);
  if (!prepared.needsSetup) throw new Error('The wallet is set up already');
  return prepared;
}

/** Set an agent up. */
export async function setUp(api: ApiClient, agent: Agent, vaultId: string, chain = 'base'): Promise<void> {
  const { setup, setupTicket } = await prepareSetup(api, agent, vaultId, chain);
  await api.setupRelay({ setupTicket, signedRawTx: await agent.signSetup(setup), confirmations: 1 });
}

/** Prepare a deposit of USDC. */
export function prepareDeposit(
  api: ApiClient,
  agent: Agent,
  vaultId: string,
  amount: string,
  chain = 'base',
) {
  return api.prepare({ chain, agentAddress: agent.address, vaultId, asset: 'USDC', amount });
}

/** Prepare and sign a deposit of a wallet that is set up. */
export async function signedDeposit(
  api: ApiClient,
  agent: Agent,
  vaultId: string,
  amount = '5',
  chain = 'base',
) {
  return signPrepared(agent, await prepareDeposit(api, agent, vaultId, amount, chain));
}

/** Sign what prepare returned for a wallet that is set up. */
export async function signPrepared(agent: Agent, prepared: PrepareResponse) {
  if (prepared.needsSetup) throw new Error('The wallet is not set up');
  const { intentEnvelope } = prepared.execution;
  const intentSignature = (await agent.signIntent(intentEnvelope.signing)) as Hex;
  return { intentEnvelope, intentSignature };
}

/** Prepare, sign and execute an intent of a wallet that is set up. */
export async function runIntent(api: ApiClient, agent: Agent, body: object) {
  const prepared = await api.prepare({ agentAddress: agent.address, ...body });
  return api.execute(await signPrepared(agent, prepared));
}
