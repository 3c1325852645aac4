import { createPublicClient, formatEther, http, type Address } from 'viem';
import type { Delegation } from '../delegation/describe-delegation.js';
import { prepareRevocation } from '../delegation/revoke-delegation.js';
import { loadBook, toJson, type BookOptions, type CliIo } from './io.js';

/** Options of `revoke-delegation`. */
export interface RevokeWalletOptions extends BookOptions {
  /** URL of a node. */
  readonly rpc: string;
  readonly revokeUnknown?: boolean;
}

/** Print the unsigned transaction that revokes the delegation of a wallet as JSON, and notes on what it does. */
export async function revokeWallet(wallet: Address, options: RevokeWalletOptions, io: CliIo): Promise<void> {
  const addressBook = await loadBook(options, io);
  const { rpc, revokeUnknown = false } = options;
  const node = createPublicClient({ transport: http(rpc, { batch: true, timeout: 20_000, retryCount: 2 }) });
  const revocation = await prepareRevocation(node, wallet, { addressBook, revokeUnknown });
  const { report, transaction, summary, remains, maxCostWei, missingWei } = revocation;

  io.out(toJson({ report, transaction, maxCostWei, missingWei, remains }));
  io.note(`${report.wallet} on chain ${report.chainId}: ${delegationLine(report.delegation)}`);
  if (!transaction) io.note('Nothing to revoke.');
  for (const line of summary) io.note(`  ${line}`);
  for (const line of remains) io.note(`Remains: ${line}`);
  if (missingWei > 0n)
    io.note(`The wallet lacks ${formatEther(missingWei)} of the ${formatEther(maxCostWei)} ETH it may need.`);
}

function delegationLine(delegation: Delegation): string {
  if (delegation.kind === 'none') return 'not delegated';
  if (delegation.kind === 'contract') return 'a contract';
  const { kind, implementation } = delegation;
  return `delegated to ${kind === 'ours' ? 'our account' : 'the unknown implementation'} ${implementation}`;
}
