import { encodeAccountBatch, encodeUninstallModule, type AccountCall } from '@yield-vault/smart-account';
import { encodeFunctionData, erc20Abi, formatUnits, zeroAddress, type Address } from 'viem';
import type { DelegationReport } from '../types.js';

/** A transaction of the wallet, before its nonce, its gas and its fees. */
export interface PlannedStep extends AccountCall {
  /** What the wallet delegates to before the call is made, the zero address for nothing; `null` leaves it. */
  readonly delegateTo: Address | null;
  readonly summary: readonly string[];
}

export interface UnsetupPlan {
  readonly steps: readonly PlannedStep[];
  readonly remains: readonly string[];
}

type Task = AccountCall & { readonly summary: string };

export interface PlanOptions {
  /** Account of ours that takes modules out of a wallet that is not delegated to it; undefined where there is none. */
  readonly account: Address | undefined;
  readonly usdc: Address;
  readonly revokeForeign: boolean;
}

/**
 * Plan the fewest transactions after which the wallet delegates to nothing, has no module in the storage of our account
 * and allows our paymasters nothing. Modules can only be taken out by our account's own code, which is why they cannot go
 * in the transaction that revokes the delegation: that one takes effect before its call is made.
 */
export function planUnsetup(
  report: DelegationReport,
  { account, usdc, revokeForeign }: PlanOptions,
): UnsetupPlan {
  const { delegation, modules, modulesComplete } = report;
  const isOurs = delegation.kind === 'ours';
  const keepsDelegation = delegation.kind === 'foreign' && !revokeForeign;
  const cleaner = isOurs ? delegation.implementation : account;
  const uninstalls = cleaner && modulesComplete && !keepsDelegation ? uninstallsOf(report) : [];
  const approvals = approvalsOf(report, usdc);
  const modulesStay = uninstalls.length < modules.length;
  return { steps: stepsOf(), remains: remainsOf(report, keepsDelegation, modulesStay) };

  function stepsOf(): readonly PlannedStep[] {
    if (cleaner && (uninstalls.length > 0 || (isOurs && approvals.length > 1))) {
      const delegateTo = isOurs ? null : cleaner;
      return [batch(report.wallet, [...uninstalls, ...approvals], delegateTo), revocation(report.wallet)];
    }
    if (delegation.kind === 'none' || keepsDelegation) return approvals.map((task) => single(task, null));
    const [first, ...others] = approvals;
    return [...others.map((task) => single(task, null)), revocation(report.wallet, first)];
  }
}

function batch(wallet: Address, tasks: readonly Task[], delegateTo: Address | null): PlannedStep {
  const delegating = delegateTo ? [`delegate to ${delegateTo}, for this one call`] : [];
  return {
    to: wallet,
    data: encodeAccountBatch(tasks.map(({ to, data }) => ({ to, data }))),
    delegateTo,
    summary: [...delegating, ...tasks.map(({ summary }) => summary)],
  };
}

function revocation(wallet: Address, task?: Task): PlannedStep {
  const clearing = 'clear the delegation: the wallet is a plain externally owned account again';
  if (task) return { ...single(task, zeroAddress), summary: [clearing, task.summary] };
  return { to: wallet, data: '0x', delegateTo: zeroAddress, summary: [clearing] };
}

function single({ to, data, summary }: Task, delegateTo: Address | null): PlannedStep {
  return { to, data, delegateTo, summary: [summary] };
}

function uninstallsOf({ wallet, modules }: DelegationReport): readonly Task[] {
  return modules.map(({ type, address }) => ({
    to: wallet,
    data: encodeUninstallModule(type, address),
    summary: `take out the ${type} module ${address}`,
  }));
}

function approvalsOf({ allowances }: DelegationReport, usdc: Address): readonly Task[] {
  return allowances
    .filter(({ ours }) => ours)
    .map(({ spender, name }) => ({
      to: usdc,
      data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, 0n] }),
      summary: `set the USDC allowance of the ${name} ${spender} to 0`,
    }));
}

function remainsOf(
  { delegation, modules, modulesComplete, allowances }: DelegationReport,
  keepsDelegation: boolean,
  modulesStay: boolean,
): readonly string[] {
  const remains: string[] = [];
  if (keepsDelegation && delegation.kind === 'foreign')
    remains.push(`the delegation to ${delegation.implementation}, which other software made`);
  if (modulesStay)
    for (const { type, address } of modules)
      remains.push(`the ${type} module ${address}, which counts again with a delegation to our account`);
  if (!modulesComplete)
    remains.push('modules that other code wrote into the storage of our account; never delegate to it again');
  for (const { name, spender, amount } of allowances.filter(({ ours }) => !ours))
    remains.push(`${name} ${spender} may take ${formatUnits(amount, 6)} USDC, which other software allowed`);
  return remains;
}
