import {
  accepted,
  carryOut,
  localAddressBook,
  signSetup,
  verifySetup,
  type Agent,
  type AgentClient,
  type Payer,
  type ExecuteRequest,
  type Order,
  type PrepareResponse,
  type VaultCandidate,
} from '@yield-vault/agent-client';
import { createPublicClient, erc20Abi, formatUnits, http, type PublicClient } from 'viem';
import { generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import { fundWallet } from '../fund-wallet.js';
import type { DevnetChain } from '../types.js';
import { createPayer } from './create-payer.js';
import { readSimulations } from './read-simulations.js';

const addressBook = localAddressBook;
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

/** The server that the journey is made through. */
export interface Service {
  /** Its client for a wallet, which pays where the service takes money for an answer. */
  readonly clientOf: (payer: Payer) => AgentClient;
  /** What it counts, as Prometheus text. */
  readonly metrics: () => Promise<string>;
}

interface Traveller extends Pick<Service, 'metrics'> {
  readonly client: AgentClient;
  readonly chain: DevnetChain;
  readonly rpc: PublicClient;
  readonly wallet: PrivateKeyAccount;
}

/** The journey did not go as it has to. */
export class JourneyError extends Error {
  override readonly name = 'JourneyError';
}

/**
 * Take one new wallet through everything the service does on a chain, over HTTP. It signs nothing that it has not
 * verified.
 *
 * @param chain Whose wallet RPC the service acts on, too.
 * @param onStep Told after each step.
 * @returns The steps.
 * @throws {ApiError} When the server refuses a call.
 * @throws {VerificationError} When it gives something else to sign than what was asked for.
 * @throws {JourneyError} When an answer is not what it has to be.
 */
export async function runJourney(
  service: Service,
  chain: DevnetChain,
  onStep: (step: Step) => void,
): Promise<Step[]> {
  const rpc = createPublicClient({ transport: http(chain.walletRpcUrl) });
  const wallet = privateKeyToAccount(generatePrivateKey());
  let payments = 0;
  const payer = createPayer(wallet, chain.chainId);
  const client = service.clientOf((demand) => {
    payments += 1;
    return payer(demand);
  });
  const traveller: Traveller = { metrics: service.metrics, client, chain, rpc, wallet };
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
  const place = { vault: vault.vaultAddress, asset: 'USDC' };
  const deposit: Order = { operation: 'deposit', ...place, amount: depositAmount };
  const { request, hash } = await step('Deposit', () => execute(traveller, deposit));
  await step('Execute it again', () => repeat(traveller, request, hash));
  await step('Status', () => status(traveller, 1));
  await step('History', () => history(traveller, vault.vaultId));
  const redeem = (percentage: number): Order => ({ operation: 'redeem', ...place, percentage });
  await step('Redeem 50 %', () => execute(traveller, redeem(50)));
  await step('Redeem 100 %', () => execute(traveller, redeem(100)));
  await step('Nothing is left', () => leave(traveller, vault));
  if (payments > 0) await step('What the answers cost', () => Promise.resolve(paid(payments)));
  return steps;
}

function paid(payments: number): Outcome {
  return { lines: [`discover and prepare: ${String(payments)} payments by x402, signed with the same key`] };
}

async function fundOnFork({ client, chain, wallet }: Traveller): Promise<Outcome> {
  const { funded } = await client.fundWallet({
    chain: chain.key,
    walletAddress: wallet.address,
    ethWei: String(funding.ethWei),
    usdcAmount: String(funding.usdc),
  });
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

async function forkStatus({ client, chain }: Traveller): Promise<Outcome> {
  const found = await client.forkStatus();
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

async function discover({ client, chain }: Traveller) {
  const { vaults } = await client.discover({
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

async function prepareSetup({ client, chain, wallet }: Traveller, vaultId: string): Promise<Outcome & Setup> {
  const prepared = await client.prepare({
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

async function setUp({ client, chain, rpc, wallet }: Traveller, prepared: Setup): Promise<Outcome> {
  const walletCode = await rpc.getCode({ address: wallet.address });
  const expectations = { wallet: wallet.address, chain: chain.key, walletCode };
  const verified = accepted(verifySetup(prepared, expectations, { addressBook }));
  const nonce = await rpc.getTransactionCount({ address: wallet.address });
  const signedRawTx = await signSetup(wallet, verified, nonce);
  const relayed = await client.setupRelay({ setupTicket: verified.setupTicket, signedRawTx });
  if (!relayed.delegationVerified || !relayed.modulesVerified)
    throw new JourneyError('The setup is not verified');
  const { gasUsed } = await rpc.getTransactionReceipt({ hash: relayed.txHash });
  return {
    gasUsed,
    lines: [
      ...verified.summary.map((line) => `verified: ${line}`),
      `one type-4 transaction, paid in ETH, ${String(relayed.verificationChecks.length)} checks passed`,
      `transaction ${relayed.txHash}`,
    ],
  };
}

async function execute({ client, chain, wallet, metrics }: Traveller, order: Order) {
  const agent: Agent = { client, signer: wallet, rpcUrl: chain.walletRpcUrl, chain: chain.key, addressBook };
  const before = readSimulations(await metrics());
  const { verified, request, execution } = await carryOut(agent, order);
  const after = readSimulations(await metrics());
  const { result, receipt, positionUpdate, txHash, userOpHash } = execution;
  if (result !== 'executed' || receipt.status !== 'success') {
    throw new JourneyError(`The operation ended as ${result}, ${receipt.status}`);
  }
  return {
    request,
    hash: txHash,
    gasUsed: BigInt(receipt.gasUsed),
    usdcPaid: positionUpdate.gasPaid.amount,
    lines: [
      ...verified.summary.map((line) => `verified: ${line}`),
      ...describePreflight(after.count - before.count, after.seconds - before.seconds),
      `${positionUpdate.assetsDelta} USDC, ${positionUpdate.sharesDelta} shares, block ${String(receipt.blockNumber)}`,
      `user operation ${userOpHash}`,
      `transaction    ${txHash}`,
    ],
  };
}

function describePreflight(simulations: number, seconds: number): string[] {
  if (simulations === 0) return [];
  return [
    `preflight: simulated on an ephemeral fork and passed in ${(seconds * 1000).toFixed(0)} ms, then sent`,
  ];
}

async function repeat({ client }: Traveller, request: ExecuteRequest, hash: string): Promise<Outcome> {
  const again = await client.execute(request);
  if (again.result !== 'already_executed' || again.txHash !== hash) {
    throw new JourneyError(`The same intent ended as ${again.result} in ${again.txHash}`);
  }
  return { lines: [`${again.result}, the same transaction: nothing was sent twice`] };
}

async function status({ client, wallet }: Traveller, count: number): Promise<Outcome> {
  const found = await client.status(wallet.address);
  if (found.positionCount !== count)
    throw new JourneyError(`Status shows ${String(found.positionCount)} positions`);
  return {
    lines: found.positions.map(
      ({ vaultName, depositedAmount, currentValue, unrealizedYield, apy }) =>
        `${vaultName}: deposited ${depositedAmount}, worth ${currentValue}, earned ${unrealizedYield}, ${apy.toFixed(2)} % APY`,
    ),
  };
}

async function history({ client }: Traveller, vaultId: string): Promise<Outcome> {
  const { summary } = await client.history({ vaultId, period: '30d' });
  if (summary.dataPoints === 0) throw new JourneyError('There is no history');
  return {
    lines: [
      `30 days in ${String(summary.dataPoints)} points: APY ${summary.minApy.toFixed(2)} to ${summary.maxApy.toFixed(2)} %, on average ${summary.avgApy.toFixed(2)} %, TVL $${(summary.avgTvl / 1e6).toFixed(1)}M`,
    ],
  };
}

async function leave(traveller: Traveller, vault: VaultCandidate): Promise<Outcome> {
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
