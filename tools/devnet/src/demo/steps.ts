import { setTimeout as sleep } from 'node:timers/promises';
import {
  describeEvent,
  execute as executeOperation,
  localAddressBook,
  type Agent,
  type AgentClient,
  type ExecuteRequest,
  type OperationRequest,
  type VaultCandidate,
} from '@yield-vault/agent-client';
import { createChainClient } from '@yield-vault/testing/local';
import { erc20Abi, formatUnits, type PublicClient } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { fundWallet, type Funding } from '../fund-wallet.js';
import type { DevnetChain } from '../types.js';

/** What a wallet gets: ether for its setup, or none. */
export const fundings = {
  classic: { ethWei: 10n ** 16n, usdc: 50_000_000n },
  gasless: { usdc: 50_000_000n },
} as const;
export const depositAmount = '25';

/** Result of a step. */
export interface Outcome {
  /** Events, one sentence each. */
  readonly lines: readonly string[];
  readonly gasUsed?: bigint;
  /** Price of the gas in USDC, a decimal string. */
  readonly usdcPaid?: string;
}

/** Everything that the steps of the demo use. */
export interface DemoContext {
  readonly client: AgentClient;
  readonly chain: DevnetChain;
  readonly rpc: PublicClient;
  readonly wallet: PrivateKeyAccount;
}

/** A step of the demo had an unexpected result. */
class DemoError extends Error {
  override readonly name = 'DemoError';
}

export function paid(payments: number): Outcome {
  return { lines: [`discover and prepare: ${String(payments)} payments by x402, signed with the same key`] };
}

export async function fund(
  { client, chain, rpc, wallet }: DemoContext,
  funding: Funding & { readonly usdc: bigint },
): Promise<Outcome> {
  const { address } = wallet;
  const isForked = chain.walletRpcUrl !== chain.rpcUrl;
  if (!isForked) {
    await fundWallet(chain, address, funding);
    // Nodes that lag by a block show the funds, too.
    await createChainClient(chain.rpcUrl).mine({ blocks: 1 });
  } else
    await client.fundWallet({
      chain: chain.key,
      walletAddress: address,
      ...(funding.ethWei && { ethWei: String(funding.ethWei) }),
      usdcAmount: String(funding.usdc),
    });
  const ether = await rpc.getBalance({ address });
  if (ether !== (funding.ethWei ?? 0n)) throw new DemoError(`The wallet has ${String(ether)} wei`);
  const what = ether === 0n ? 'no wei' : `${formatUnits(ether, 18)} ETH (for its setup only)`;
  return { lines: [`a new wallet ${address} gets ${what} and ${formatUnits(funding.usdc, 6)} USDC`] };
}

export async function forkStatus({ client, chain }: DemoContext): Promise<Outcome> {
  const found = await client.forkStatus();
  const fork = found.primaryForks.find((each) => each.chain === chain.key);
  if (fork?.status !== 'running') throw new DemoError(`The fork of ${chain.key} is not running`);
  const { status, version, activeForks, maxForks } = found.health;
  const limit = maxForks === null ? '' : ` of at most ${String(maxForks)}`;
  return {
    lines: [
      `fork ${fork.id} at block ${String(fork.blockNumber)}; ${String(activeForks)}${limit} forks, ${status}, ${version}; preflight ${found.preflightMode}`,
    ],
  };
}

export async function discover({ client, chain }: DemoContext) {
  const { vaults } = await client.discover({
    chain: chain.key,
    asset: 'USDC',
    riskTolerance: 'low',
    limit: 3,
  });
  const [vault] = vaults;
  if (!vault) throw new DemoError(`No low-risk USDC vault on ${chain.key}`);
  const lines = vaults.map(
    ({ name, apy, risk, tvlUsd, compositeScore }) =>
      `${name}: ${apy.now.toFixed(2)} % APY, risk ${risk.level} (${risk.rating}), $${(tvlUsd / 1e6).toFixed(1)}M, score ${compositeScore.toFixed(2)}`,
  );
  return { lines, vault };
}

/** Execute an operation; the flow of agent-client sets the wallet up first if it needs that. */
export async function execute({ client, chain, rpc, wallet }: DemoContext, request: OperationRequest) {
  const lines: string[] = [];
  const agent: Agent = {
    client,
    signer: wallet,
    rpc: chain.walletRpcUrl,
    chain: chain.key,
    addressBook: localAddressBook,
    onProgress: (event) => lines.push(...describeEvent(event)),
  };
  const { setup, request: sent, execution } = await executeOperation(agent, request);
  const { result, receipt, positionUpdate, txHash, userOpHash } = execution;
  if (result !== 'executed' || receipt.status !== 'success')
    throw new DemoError(`The operation ended as ${result}, ${receipt.status}`);
  let gasUsed = BigInt(receipt.gasUsed);
  if (setup.kind === 'transaction') {
    const { txHash: hash, delegationVerified, modulesVerified } = setup.relayed;
    if (!delegationVerified || !modulesVerified) throw new DemoError('The setup is not verified');
    gasUsed += (await rpc.getTransactionReceipt({ hash })).gasUsed;
  }
  return {
    request: sent,
    hash: txHash,
    gasUsed,
    usdcPaid: positionUpdate.gasPaid.amount,
    lines: [
      ...lines,
      `${positionUpdate.assetsDelta} USDC, ${positionUpdate.sharesDelta} shares, block ${String(receipt.blockNumber)}`,
      `user operation ${userOpHash}`,
    ],
  };
}

export async function repeat(
  { client }: DemoContext,
  request: ExecuteRequest,
  hash: string,
): Promise<Outcome> {
  const again = await client.execute(request);
  if (again.result !== 'already_executed' || again.txHash !== hash) {
    throw new DemoError(`The same intent ended as ${again.result} in ${again.txHash}`);
  }
  return { lines: [`${again.result}, the same transaction: nothing was sent twice`] };
}

export async function status({ client, wallet }: DemoContext, count: number): Promise<Outcome> {
  let found = await client.status(wallet.address);
  // A node behind a load balancer may be a block late.
  for (let left = 10; left > 0 && found.positionCount !== count; left--) {
    await sleep(500);
    found = await client.status(wallet.address);
  }
  if (found.positionCount !== count)
    throw new DemoError(`Status shows ${String(found.positionCount)} positions`);
  return {
    lines: found.positions.map(
      ({ vaultName, depositedAmount, currentValue, unrealizedYield, apy }) =>
        `${vaultName}: deposited ${depositedAmount}, worth ${currentValue}, earned ${unrealizedYield}, ${apy.toFixed(2)} % APY`,
    ),
  };
}

export async function history({ client }: DemoContext, vaultId: string): Promise<Outcome> {
  const { summary } = await client.history({ vaultId, period: '30d' });
  if (summary.dataPoints === 0) throw new DemoError('There is no history');
  return {
    lines: [
      `30 days in ${String(summary.dataPoints)} points: APY ${summary.minApy.toFixed(2)} to ${summary.maxApy.toFixed(2)} %, on average ${summary.avgApy.toFixed(2)} %, TVL $${(summary.avgTvl / 1e6).toFixed(1)}M`,
    ],
  };
}

/** Check that a wallet never had ether. */
export async function withoutEther({ rpc, wallet }: DemoContext): Promise<Outcome> {
  const { address } = wallet;
  const [wei, transactions] = await Promise.all([
    rpc.getBalance({ address }),
    rpc.getTransactionCount({ address }),
  ]);
  if (wei !== 0n || transactions !== 1) throw new DemoError('The wallet had ether');
  return { lines: ['0 wei: the authorization in its first operation used its one nonce'] };
}

export async function redeemed(context: DemoContext, vault: VaultCandidate): Promise<Outcome> {
  const { rpc, wallet } = context;
  await status(context, 0);
  const shares = await rpc.readContract({
    address: vault.vaultAddress,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [wallet.address],
  });
  if (shares !== 0n) throw new DemoError(`${String(shares)} shares are left`);
  return { lines: ['status shows no position, and the chain no share'] };
}
