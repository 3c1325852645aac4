import type {
  DiscoverResponse,
  ExecuteResponse,
  ForkStatusResponse,
  FundWalletRequest,
  FundWalletResponse,
  HistoryResponse,
  PrepareResponse,
  SetupRelayResponse,
  StatusResponse,
} from '@yield-vault/protocol';
import { createPublicClient, erc20Abi, formatUnits, http, type PublicClient } from 'viem';
import { generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import { fundWallet } from '../fund-wallet.js';
import type { DevnetChain } from '../types.js';
import type { Api } from './api.js';
import { readSimulations } from './read-simulations.js';
import { signIntent, signSetup } from './sign.js';

const funding = { ethWei: 10n ** 16n, usdc: 50_000_000n };
const depositAmount = '25';

/** A step of the journey, for print and table. */
export interface Step {
  readonly title: string;
  /** What happened, in plain words, one line each. */
  readonly lines: readonly string[];
  readonly milliseconds: number;
  readonly gasUsed?: bigint;
  /** What the gas cost, as a decimal string in USDC. */
  readonly usdcPaid?: string;
}

type Outcome = Omit<Step, 'title' | 'milliseconds'>;

interface Traveller {
  readonly api: Api;
  readonly chain: DevnetChain;
  readonly rpc: PublicClient;
  readonly wallet: PrivateKeyAccount;
}

/** The journey did not go as it has to. */
export class JourneyError extends Error {
  override readonly name = 'JourneyError';
}

/**
 * Take one new wallet through everything the service does on a chain, over HTTP.
 *
 * @param chain Whose wallet RPC the service acts on, too.
 * @param onStep Told after each step.
 * @returns The steps.
 * @throws {ApiError} When the server refuses a call.
 * @throws {JourneyError} When an answer is not what it has to be.
 */
export async function runJourney(
  api: Api,
  chain: DevnetChain,
  onStep: (step: Step) => void,
): Promise<Step[]> {
  const rpc = createPublicClient({ transport: http(chain.walletRpcUrl) });
  const wallet = privateKeyToAccount(generatePrivateKey());
  const traveller: Traveller = { api, chain, rpc, wallet };
  const steps: Step[] = [];
  const step = async <Value extends Outcome>(title: string, task: () => Promise<Value>): Promise<Value> => {
    const started = performance.now();
    const outcome = await task();
    const { lines, gasUsed, usdcPaid } = outcome;
    const taken = { title, lines, gasUsed, usdcPaid, milliseconds: performance.now() - started };
    steps.push(taken);
    onStep(taken);
    return outcome;
  };

  const isForked = chain.walletRpcUrl !== chain.rpcUrl;
  await step('Fund', () => (isForked ? fundOnFork(traveller) : fundOnChain(traveller)));
  if (isForked) await step('Fork status', () => forkStatus(traveller));
  const { vault } = await step('Discover', () => discover(traveller));
  await step('Prepare the setup', () => prepareSetup(traveller, vault.vaultId)).then((setup) =>
    step('Set the wallet up', () => setUp(traveller, setup)),
  );
  const deposit = { operation: 'deposit', asset: 'USDC', amount: depositAmount, vaultId: vault.vaultId };
  const { request, hash } = await step('Deposit', () => execute(traveller, deposit));
  await step('Execute it again', () => repeat(traveller, request, hash));
  await step('Status', () => status(traveller, 1));
  await step('History', () => history(traveller, vault.vaultId));
  const redeem = { operation: 'redeem', vaultId: vault.vaultId };
  await step('Redeem 50 %', () => execute(traveller, { ...redeem, percentage: 50 }));
  await step('Redeem 100 %', () => execute(traveller, { ...redeem, percentage: 100 }));
  await step('Nothing is left', () => leave(traveller, vault));
  return steps;
}

async function fundOnFork({ api, chain, wallet }: Traveller): Promise<Outcome> {
  const request: FundWalletRequest = {
    chain: chain.key,
    walletAddress: wallet.address,
    ethWei: String(funding.ethWei),
    usdcAmount: String(funding.usdc),
  };
  const { funded } = await api.post<FundWalletResponse>('/v1/testing/fund-wallet', request);
  const { eth, usdc } = funded;
  return fundedOutcome(
    wallet.address,
    BigInt(eth.resultingBalanceWei),
    BigInt(usdc.resultingBalanceBaseUnits),
  );
}

async function fundOnChain({ chain, wallet }: Traveller): Promise<Outcome> {
  const { ethWei, usdc } = await fundWallet(chain, wallet.address, funding);
  return fundedOutcome(wallet.address, ethWei, usdc);
}

function fundedOutcome(address: string, ethWei: bigint, usdc: bigint): Outcome {
  return {
    lines: [
      `a new wallet ${address} gets ${formatUnits(ethWei, 18)} ETH (for its setup only) and ${formatUnits(usdc, 6)} USDC`,
    ],
  };
}

async function forkStatus({ api, chain }: Traveller): Promise<Outcome> {
  const found = await api.get<ForkStatusResponse>('/v1/testing/fork-status');
  const fork = found.primaryForks.find((each) => each.chain === chain.key);
  if (fork?.status !== 'running') throw new JourneyError(`The fork of ${chain.key} is not running`);
  const { status, version, activeForks, maxForks } = found.health;
  const limit = maxForks === null ? '' : ` of at most ${String(maxForks)}`;
  return {
    lines: [
      `fork ${fork.id} at block ${String(fork.blockNumber)}; ${String(activeForks)}${limit} forks, ${status}, ${version}; preflight ${found.preflightMode}`,
    ],
  };
}

async function discover({ api, chain }: Traveller) {
  const { vaults } = await api.post<DiscoverResponse>('/v1/yield/discover', {
    chain: chain.key,
    asset: 'USDC',
    riskTolerance: 'low',
    limit: 3,
  });
  const [vault] = vaults;
  if (!vault) throw new JourneyError(`No low-risk USDC vault on ${chain.key}`);
  const lines = vaults.map(
    ({ name, apy, risk, tvlUsd, compositeScore }) =>
      `${name}: ${apy.now.toFixed(2)} % APY, risk ${risk.level} (${risk.rating}), $${(tvlUsd / 1e6).toFixed(1)}M, score ${compositeScore.toFixed(2)}`,
  );
  return { lines, vault };
}

type Setup = Extract<PrepareResponse, { needsSetup: true }>;

async function prepareSetup({ api, chain, wallet }: Traveller, vaultId: string): Promise<Outcome & Setup> {
  const prepared = await api.post<PrepareResponse>('/v1/yield/prepare', {
    operation: 'deposit',
    chain: chain.key,
    agentAddress: wallet.address,
    vaultId,
    asset: 'USDC',
    amount: depositAmount,
  });
  if (!prepared.needsSetup) throw new JourneyError('A new wallet needs no setup');
  return { ...prepared, lines: [`${prepared.setup.setupType}: ${prepared.setup.description}`] };
}

async function setUp(
  { api, chain, rpc, wallet }: Traveller,
  { setup, setupTicket }: Setup,
): Promise<Outcome> {
  const nonce = await rpc.getTransactionCount({ address: wallet.address });
  const signedRawTx = await signSetup(wallet, setup, chain.chainId, nonce);
  const relayed = await api.post<SetupRelayResponse>('/v1/yield/setup-relay', { setupTicket, signedRawTx });
  if (!relayed.delegationVerified || !relayed.modulesVerified)
    throw new JourneyError('The setup is not verified');
  const { gasUsed } = await rpc.getTransactionReceipt({ hash: relayed.txHash });
  return {
    gasUsed,
    lines: [
      `one type-4 transaction, paid in ETH, ${String(relayed.verificationChecks.length)} checks passed`,
      `transaction ${relayed.txHash}`,
    ],
  };
}

interface ExecuteBody {
  readonly intentEnvelope: unknown;
  readonly intentSignature: string;
}

async function execute({ api, chain, wallet }: Traveller, operation: Readonly<Record<string, unknown>>) {
  const prepared = await api.post<PrepareResponse>('/v1/yield/prepare', {
    ...operation,
    chain: chain.key,
    agentAddress: wallet.address,
  });
  if (prepared.needsSetup) throw new JourneyError('A wallet that is set up needs setup again');
  const { intentEnvelope, summary } = prepared.execution;
  const intentSignature = await signIntent(wallet, intentEnvelope.signing);
  const request: ExecuteBody = { intentEnvelope, intentSignature };
  const before = readSimulations(await api.metrics());
  const executed = await api.post<ExecuteResponse>('/v1/yield/execute', request);
  const after = readSimulations(await api.metrics());
  if (executed.result !== 'executed' || executed.receipt.status !== 'success') {
    throw new JourneyError(`The operation ended as ${executed.result}, ${executed.receipt.status}`);
  }
  const { positionUpdate, receipt } = executed;
  return {
    request,
    hash: executed.txHash,
    gasUsed: BigInt(receipt.gasUsed),
    usdcPaid: positionUpdate.gasPaid.amount,
    lines: [
      summary,
      ...describePreflight(after.count - before.count, after.seconds - before.seconds),
      `${positionUpdate.assetsDelta} USDC, ${positionUpdate.sharesDelta} shares, block ${String(receipt.blockNumber)}`,
      `user operation ${executed.userOpHash}`,
      `transaction    ${executed.txHash}`,
    ],
  };
}

function describePreflight(simulations: number, seconds: number): string[] {
  if (simulations === 0) return [];
  return [
    `preflight: simulated on an ephemeral fork and passed in ${(seconds * 1000).toFixed(0)} ms, then sent`,
  ];
}

async function repeat({ api }: Traveller, request: ExecuteBody, hash: string): Promise<Outcome> {
  const again = await api.post<ExecuteResponse>('/v1/yield/execute', request);
  if (again.result !== 'already_executed' || again.txHash !== hash) {
    throw new JourneyError(`The same intent ended as ${again.result} in ${again.txHash}`);
  }
  return { lines: [`${again.result}, the same transaction: nothing was sent twice`] };
}

async function status({ api, wallet }: Traveller, count: number): Promise<Outcome> {
  const found = await api.get<StatusResponse>('/v1/yield/status', { userAddress: wallet.address });
  if (found.positionCount !== count)
    throw new JourneyError(`Status shows ${String(found.positionCount)} positions`);
  return {
    lines: found.positions.map(
      ({ vaultName, depositedAmount, currentValue, unrealizedYield, apy }) =>
        `${vaultName}: deposited ${depositedAmount}, worth ${currentValue}, earned ${unrealizedYield}, ${apy.toFixed(2)} % APY`,
    ),
  };
}

async function history({ api }: Traveller, vaultId: string): Promise<Outcome> {
  const { summary } = await api.get<HistoryResponse>('/v1/yield/history', { vaultId, period: '30d' });
  if (summary.dataPoints === 0) throw new JourneyError('There is no history');
  return {
    lines: [
      `30 days in ${String(summary.dataPoints)} points: APY ${summary.minApy.toFixed(2)} to ${summary.maxApy.toFixed(2)} %, on average ${summary.avgApy.toFixed(2)} %, TVL $${(summary.avgTvl / 1e6).toFixed(1)}M`,
    ],
  };
}

async function leave(traveller: Traveller, vault: DiscoverResponse['vaults'][number]): Promise<Outcome> {
  const { rpc, wallet } = traveller;
  await status(traveller, 0);
  const shares = await rpc.readContract({
    address: vault.vaultAddress,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [wallet.address],
  });
  if (shares !== 0n) throw new JourneyError(`${String(shares)} shares are left`);
  return { lines: ['status shows no position, and the chain no share'] };
}
