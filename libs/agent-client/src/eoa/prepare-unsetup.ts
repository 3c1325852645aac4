import { InvalidParametersError } from '@yield-vault/protocol';
import type { Address } from 'viem';
import type { UnsignedTransaction } from '../sign/sign-transaction.js';
import { agentAddressBook } from '../verify/address-book/agent-address-book.js';
import { describeDelegation } from './describe-delegation.js';
import { TransactionInFlightError } from './errors.js';
import { askingNode } from './steps/asking-node.js';
import { deploymentsOn } from './steps/deployments-on.js';
import { findDeployedAccount } from './steps/find-deployed-account.js';
import { gasLimitOf } from './steps/gas-limit-of.js';
import { planUnsetup, type PlannedStep } from './steps/plan-unsetup.js';
import type { DelegationReport, Unsetup, UnsetupOptions, UnsetupRpc } from './types.js';

/**
 * Prepare the transactions with which a wallet takes back what a setup gave: they take the modules out, set the
 * allowances of our paymasters to zero and clear the delegation. Nothing is sent, and no key is needed; sign them with
 * `signUnsetup`, and send each once the one before is in a block. Shares of vaults stay in the wallet, whose key can
 * redeem them without any of this.
 *
 * @returns the fewest transactions that do it; none when nothing is left to take back
 * @throws {InvalidParametersError} when the address is a contract
 * @throws {TransactionInFlightError} when a transaction of the wallet waits for a block
 * @throws {UnsetupRefusedError} when a module or the token does not let go
 * @throws {NodeFailedError} when the node gives no usable answer
 * @throws {UnknownChainError} when the address book has no deployment on the node's chain
 */
export async function prepareUnsetup(
  rpc: UnsetupRpc,
  wallet: Address,
  { addressBook = agentAddressBook, revokeForeign = false }: UnsetupOptions = {},
): Promise<Unsetup> {
  const report = await describeDelegation(rpc, wallet, { addressBook });
  requireQuietWallet(report);
  const deployments = deploymentsOn(addressBook, report.chainId);
  const [{ usdc }] = deployments;
  const { plan, transactions } = await askingNode(async () => {
    const account = await findDeployedAccount(rpc, deployments);
    const plan = planUnsetup(report, { account, usdc, revokeForeign });
    return { plan, transactions: await completeSteps(rpc, report, plan.steps) };
  });

  const maxCostWei = transactions.reduce((sum, { gas, maxFeePerGas }) => sum + gas * maxFeePerGas, 0n);
  return {
    report,
    steps: plan.steps.map(({ summary }, index) => ({ transaction: transactions[index]!, summary })),
    remains: plan.remains,
    maxCostWei,
    missingWei: maxCostWei > report.ethWei ? maxCostWei - report.ethWei : 0n,
  };
}

function requireQuietWallet({ delegation, nonce }: DelegationReport): void {
  if (delegation.kind === 'contract') {
    const message = 'is a contract; an externally owned account is needed';
    throw new InvalidParametersError({
      detail: `wallet: ${message}.`,
      details: { violations: [{ field: 'wallet', message }] },
    });
  }
  if (nonce.pending !== nonce.latest) throw new TransactionInFlightError();
}

async function completeSteps(
  rpc: UnsetupRpc,
  report: DelegationReport,
  steps: readonly PlannedStep[],
): Promise<readonly UnsignedTransaction[]> {
  if (steps.length === 0) return [];
  const [fees, ...gas] = await Promise.all([
    rpc.estimateFeesPerGas(),
    ...steps.map((step) => gasLimitOf(rpc, report, step)),
  ]);
  const { chainId } = report;
  let nonce = report.nonce.latest;
  return steps.map(({ to, data, delegateTo }, index) => {
    const transaction: UnsignedTransaction = {
      type: delegateTo ? 'eip7702' : 'eip1559',
      chainId,
      nonce,
      to,
      data,
      value: 0n,
      gas: gas[index]!,
      // The later ones wait for the earlier ones, and the base fee may rise by an eighth in each block.
      maxFeePerGas: fees.maxFeePerGas * 2n,
      maxPriorityFeePerGas: fees.maxPriorityFeePerGas,
      authorization: delegateTo && { address: delegateTo, chainId, nonce: nonce + 1 },
    };
    // An authorization of the sender's own counts as a transaction too.
    nonce += delegateTo ? 2 : 1;
    return transaction;
  });
}
