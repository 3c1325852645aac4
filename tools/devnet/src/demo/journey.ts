import type { AgentClient, Order, Payer } from '@yield-vault/agent-client';
import { createPublicClient, http } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { DevnetChain } from '../types.js';
import { createPayer } from './create-payer.js';
import {
  depositAmount,
  discover,
  execute,
  forkStatus,
  fundOnChain,
  fundOnFork,
  history,
  leave,
  paid,
  prepareSetup,
  repeat,
  setUp,
  status,
  type Outcome,
  type Traveller,
} from './steps.js';

/** A step of the journey, for print and table. */
export interface Step extends Outcome {
  readonly title: string;
  readonly milliseconds: number;
}

/** The server that the journey is made through. */
export interface Service {
  /** Its client for a wallet, which pays where the service takes money for an answer. */
  readonly clientOf: (payer: Payer) => AgentClient;
  /** What it counts, as Prometheus text. */
  readonly metrics: () => Promise<string>;
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
 * @throws {DemoError} When an answer is not what it has to be.
 */
export async function runDemoJourney(
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
