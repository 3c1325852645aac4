import {
  agentAddressBook,
  createAgentClient,
  deriveDeployment,
  execute,
  extendAddressBook,
  localAddressBook,
  NodeFailedError,
  type AgentClient,
  type Agent,
  type OperationRequest,
} from '@yield-vault/agent-client';
import { createPayer } from '@yield-vault/agent-client/x402';
import { chainFacts } from '@yield-vault/contracts';
import { openDatabase } from '@yield-vault/database';
import { loadConfig, readVariable, type Config, type Deployment } from '@yield-vault/deployment';
import { forkChains } from '@yield-vault/forks';
import { createForkClient as connectForks } from '@yield-vault/forks/client';
import { createForkManager } from '@yield-vault/forks/server';
import { sameHex, silentLogger, usdcDecimals, vaultIdOf } from '@yield-vault/protocol';
import type { RegistryEntry } from '@yield-vault/vault-discovery';
import { createPublicClient, erc20Abi, http, parseUnits, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import { type CliIo, columns, CommandFailure, textOf } from '../io.js';
import { createForkClient } from './fork-client.js';

export interface RehearseOptions {
  /** USDC of each deposit, e.g. `5`. */
  readonly amount: string;
  /** Ids or addresses. */
  readonly vault?: readonly string[];
  readonly all?: boolean;
  /** URL of a running service: act on the chain itself. */
  readonly real?: string;
  /** Must repeat the amount. */
  readonly confirm?: string;
}

/** Open the wallet and the service for a vault. */
type Open = (entry: RegistryEntry) => Promise<Opened>;
type Opened = { readonly client: AgentClient; readonly signer: PrivateKeyAccount; readonly rpc: string };

/**
 * Deposit into vaults and redeem everything, one vault after the other: on a fork of the chain, or on the chain itself.
 *
 * @param env - the environment of the deployment's processes; with `real`, `REHEARSE_KEY` is the key of the wallet
 * @returns the number of failed vaults
 * @throws {CommandFailure} when the options are invalid; no funds moved
 */
export async function rehearse(env: NodeJS.ProcessEnv, options: RehearseOptions, io: CliIo): Promise<number> {
  const config = loadConfig(env);
  const { deployment } = config;
  const entries = chooseVaults(config, options);
  const stage = options.real ? openService(deployment, env, options) : await openForks(deployment, options);
  const rows = [['CHAIN', 'VAULT', 'SHARES', 'USDC BACK', 'LOSS BPS', 'GAS USDC', 'RESULT']];
  let failed = 0;
  try {
    for (const entry of entries) {
      if (options.real && failed > 0) break;
      io.note(`${entry.chain}: ${entry.name}`);
      const row = await stage
        .open(entry)
        .then((agent) => depositAndRedeem({ ...agent, ...trustOf(deployment, entry) }, entry, options.amount))
        .catch((error: unknown) => {
          failed += 1;
          return ['', '', '', '', `failed: ${textOf(error)}`];
        });
      rows.push([entry.chain, entry.address, ...row]);
    }
  } finally {
    await stage.close();
  }
  io.out(columns(rows));
  return failed;
}

function chooseVaults(
  { deployment: { chains }, registry }: Config,
  { vault: names = [], all }: RehearseOptions,
): readonly RegistryEntry[] {
  const usable = registry.filter(({ chain: key, asset }) => {
    const chain = chains[key];
    return chain?.relayMode === 'chain' && sameHex(asset.address, chain.usdc);
  });
  const isNamed = ({ chainId, address }: RegistryEntry, name: string) =>
    sameHex(address, name) || vaultIdOf(chainId, address) === name;
  const unknown = names.filter((name) => !usable.some((entry) => isNamed(entry, name)));
  const chosen = all ? usable : usable.filter((entry) => names.some((name) => isNamed(entry, name)));
  if (unknown.length === 0 && chosen.length > 0) return chosen;
  throw new CommandFailure(
    `no USDC vault of a chain with relayMode chain: ${unknown.join(', ')}. Name vaults by --vault <id or address>, or take --all.`,
  );
}

/** A new wallet on a new fork for each vault. */
async function openForks(deployment: Deployment, { amount }: RehearseOptions) {
  const { chains, forks: settings } = deployment;
  const forks =
    settings.provider === 'service'
      ? connectForks(settings)
      : createForkManager({ chains: forkChains({ chains }), options: settings, logger: silentLogger });
  const database = await openDatabase({ memory: true });
  let last = '';
  const open: Open = async (entry) => {
    if (last) await forks.destroy(last);
    const fork = await forks.create(entry.chain);
    last = fork.id;
    const signer = privateKeyToAccount(generatePrivateKey());
    const gas = 2n * chainFacts(entry.chainId).paymaster.operationCeiling;
    await fork.fund({ address: signer.address, usdcBaseUnits: parseUnits(amount, usdcDecimals) + gas });
    return { client: await createForkClient(deployment, entry, fork, database), signer, rpc: fork.rpcUrl };
  };
  const close = async () => {
    if (last) await forks.destroy(last);
    await forks.close();
    await database.close();
  };
  return { open, close };
}

/** A funded wallet, through a running service. */
function openService(
  { chains }: Deployment,
  env: NodeJS.ProcessEnv,
  { amount, real = '', confirm }: RehearseOptions,
) {
  const key = readVariable(env, 'REHEARSE_KEY');
  if (confirm !== amount || !key)
    throw new CommandFailure(
      `Nothing was sent. To deposit ${amount} USDC into each vault, add --confirm ${amount}, and put the key of the wallet into REHEARSE_KEY, or the path of a file with it into REHEARSE_KEY_FILE.`,
    );
  const signer = privateKeyToAccount(key as Hex);
  const client = createAgentClient({ baseUrl: real, payer: createPayer(signer) });
  const open: Open = ({ chain }) => Promise.resolve({ client, signer, rpc: chains[chain]!.rpcUrls[0]! });
  return { open, close: () => Promise.resolve() };
}

/** The chain, and the deployments that the agent trusts on it. */
function trustOf({ environment, chains }: Deployment, { chain, chainId }: RegistryEntry) {
  if (environment === 'local') return { chain, addressBook: localAddressBook };
  const { paymasterRoles: roles } = chains[chain]!.contracts;
  const deployments = roles ? [deriveDeployment(chainId, roles)] : [];
  return { chain, addressBook: extendAddressBook(agentAddressBook, { deployments }) };
}

/** @returns shares, USDC back, loss in basis points, gas of both operations in USDC, and `ok` */
async function depositAndRedeem(
  agent: Agent & Opened,
  { address: vault, asset: { symbol: asset } }: RegistryEntry,
  amount: string,
): Promise<string[]> {
  const held = await createPublicClient({ transport: http(agent.rpc) }).readContract({
    address: vault,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [agent.signer.address],
  });
  if (held > 0n)
    throw new CommandFailure('the wallet already holds shares, and the redeem would take all. Use another.');
  const act = async (request: OperationRequest) => {
    const { execution } = await execute(agent, request).catch((error: unknown) => {
      const why =
        error instanceof NodeFailedError ? `${new URL(agent.rpc).host}: ${error.message}` : textOf(error);
      throw new CommandFailure(`${request.operation}: ${why}`);
    });
    // Undefined when the response was lost and only the chain shows the execution.
    return execution.positionUpdate;
  };
  const deposit = await act({ operation: 'deposit', vault, asset, amount });
  const redeem = await act({ operation: 'redeem', vault, asset, percentage: 100 });
  if (!deposit || !redeem) return ['', '', '', '', 'ok, amounts unknown'];
  const paid = Number(deposit.assetsDelta);
  const back = -Number(redeem.assetsDelta);
  const gas = Number(deposit.gasPaid.amount) + Number(redeem.gasPaid.amount);
  const loss = ((paid - back) / paid) * 10_000;
  return [deposit.sharesDelta, String(back), loss.toFixed(2), gas.toFixed(6), 'ok'];
}
