import { formatEther, formatUnits, type Address } from 'viem';
import { describeDelegation } from '../eoa/describe-delegation.js';
import type { Delegation, DelegationReport } from '../eoa/types.js';
import { connect } from './connect.js';
import type { CliIo } from './io.js';
import { loadBook, type BookOptions } from './load-book.js';
import { toJson } from './to-json.js';

/** Options of `describe`. */
export interface DescribeWalletOptions extends BookOptions {
  /** URL of a node. */
  readonly rpc: string;
  readonly json?: boolean;
}

/** Print what a wallet is delegated to, which modules it has and who may take its USDC. */
export async function describeWallet(
  wallet: Address,
  options: DescribeWalletOptions,
  io: CliIo,
): Promise<void> {
  const addressBook = await loadBook(options, io);
  const report = await describeDelegation(connect(options.rpc), wallet, { addressBook });
  io.out(options.json ? toJson(report) : linesOf(report).join('\n'));
}

function linesOf(report: DelegationReport): readonly string[] {
  const { wallet, chainId, delegation, modules, modulesComplete, allowances, nonce } = report;
  const counts = delegation.kind === 'ours' ? '' : ', counts only with a delegation to our account';
  return [
    `${wallet} on chain ${chainId}`,
    `  ${delegationLine(delegation)}`,
    ...modules.map(
      ({ type, address, known }) =>
        `  ${type} module ${address}${known ? '' : ', NOT in the address book'}${counts}`,
    ),
    ...(modulesComplete ? [] : ['  MORE MODULES than an account of ours ever has: other code wrote them']),
    ...allowances.map(
      ({ name, spender, amount }) => `  ${name} ${spender} may take ${formatUnits(amount, 6)} USDC`,
    ),
    `  holds ${formatEther(report.ethWei)} ETH and ${formatUnits(report.usdcBaseUnits, 6)} USDC`,
    `  sent ${nonce.latest} transactions${nonce.pending > nonce.latest ? `, ${nonce.pending - nonce.latest} more wait for a block` : ''}`,
  ];
}

function delegationLine(delegation: Delegation): string {
  if (delegation.kind === 'none') return 'not delegated: a plain externally owned account';
  if (delegation.kind === 'contract') return 'a contract, not an externally owned account';
  if (delegation.kind === 'ours') {
    const { implementation, missing } = delegation;
    const state = missing.length > 0 ? `NOT SET UP: ${missing.join(' and ')} missing` : 'set up';
    return `delegated to our account ${implementation}, ${state}`;
  }
  const { implementation, name } = delegation;
  const title = name === null ? implementation : `${name} ${implementation}`;
  if (delegation.kind === 'ghost') return `delegated to ${title}, which has NO CODE: only the key works`;
  return `delegated to ${title}, software of somebody else${claims(delegation)}`;
}

function claims({ accountId, modules }: Extract<Delegation, { kind: 'foreign' }>): string {
  const parts = [
    ...(accountId === null ? [] : [`calls itself "${accountId}"`]),
    ...(modules?.validators.length ? [`says its validators are ${modules.validators.join(', ')}`] : []),
    ...(modules?.executors.length ? [`says its executors are ${modules.executors.join(', ')}`] : []),
  ];
  return parts.map((part) => `; ${part}`).join('');
}
