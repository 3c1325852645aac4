import type { AgentClient, OperationRequest, Payer } from '@yield-vault/agent-client';
import { createPayer } from '@yield-vault/agent-client/x402';
import { createPublicClient, http } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { DevnetChain } from '../types.js';
import {
  depositAmount,
  discover,
  execute,
  forkStatus,
  fund,
  fundings,
  history,
  paid,
  redeemed,
  repeat,
  status,
  withoutEther,
  type Outcome,
  type DemoContext,
} from './steps.js';

/** A step of the demo, for the log and the table. */
export interface Step extends Outcome {
  readonly title: string;
  readonly milliseconds: number;
}

/**
 * Take a new wallet through every endpoint of the service on one chain, over HTTP, and then another one that never has
 * ether. Both sign only verified documents.
 *
 * @param clientOf Makes the client of a wallet that pays for paid requests.
 * @param onStep Called after each step.
 * @throws {ApiError} When the server rejects a request.
 * @throws {VerificationError} When a document to sign differs from the request.
 * @throws {DemoError} When a response is not the expected one.
 */
export async function runDemoFlow(
  clientOf: (payer: Payer) => AgentClient,
  chain: DevnetChain,
  onStep: (step: Step) => void,
): Promise<Step[]> {
  const rpc = createPublicClient({ transport: http(chain.walletRpcUrl) });
  let payments = 0;
  const newContext = (): DemoContext => {
    const wallet = privateKeyToAccount(generatePrivateKey());
    const payer = createPayer(wallet, { chainId: chain.chainId });
    const client = clientOf((demand) => {
      payments += 1;
      return payer(demand);
    });
    return { client, chain, rpc, wallet };
  };
  const context = newContext();
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
  await step('Fund', () => fund(context, fundings.classic));
  if (isForked) await step('Fork status', () => forkStatus(context));
  const { vault } = await step('Discover', () => discover(context));
  const place = { vault: vault.vaultAddress, asset: 'USDC' };
  const deposit: OperationRequest = { operation: 'deposit', ...place, amount: depositAmount };
  const { request, hash } = await step('Set up with ether and deposit', () => execute(context, deposit));
  await step('Execute it again', () => repeat(context, request, hash));
  await step('Status', () => status(context, 1));
  await step('History', () => history(context, vault.vaultId));
  const redeem = (percentage: number): OperationRequest => ({ operation: 'redeem', ...place, percentage });
  await step('Redeem 50 %', () => execute(context, redeem(50)));
  await step('Redeem 100 %', () => execute(context, redeem(100)));
  await step('Nothing is left', () => redeemed(context, vault));

  const gasless = newContext();
  await step('Fund without ether', () => fund(gasless, fundings.gasless));
  await step('Set up and deposit without ether', () => execute(gasless, deposit));
  await step('Redeem all', () => execute(gasless, redeem(100)));
  await step('No ether was used', () => withoutEther(gasless));
  if (payments > 0) await step('Payments', () => Promise.resolve(paid(payments)));
  return steps;
}
