import { formatEther, type Address } from 'viem';
import { prepareUnsetup } from '../eoa/prepare-unsetup.js';
import { connect } from './connect.js';
import type { CliIo } from './io.js';
import { loadBook, type BookOptions } from './load-book.js';
import { toJson } from './to-json.js';

/** Options of `unsetup`. */
export interface UnsetupWalletOptions extends BookOptions {
  /** URL of a node. */
  readonly rpc: string;
  readonly revokeForeign?: boolean;
}

/** Print the unsigned transactions that undo the setup of a wallet, as JSON, and notes about what they do. */
export async function unsetupWallet(
  wallet: Address,
  options: UnsetupWalletOptions,
  io: CliIo,
): Promise<void> {
  const addressBook = await loadBook(options, io);
  const { rpc, revokeForeign = false } = options;
  const unsetup = await prepareUnsetup(connect(rpc), wallet, { addressBook, revokeForeign });
  const { steps, remains, maxCostWei, missingWei } = unsetup;

  io.out(
    toJson({ transactions: steps.map(({ transaction }) => transaction), maxCostWei, missingWei, remains }),
  );
  if (steps.length === 0) io.note('Nothing to take back.');
  steps.forEach(({ transaction, summary }, index) => {
    const type = transaction.authorization ? 'type 4' : 'type 2';
    io.note(`Transaction ${index + 1} of ${steps.length} (${type}, nonce ${transaction.nonce}):`);
    for (const line of summary) io.note(`  ${line}`);
  });
  if (steps.length > 1) io.note('Send each once the one before is in a block.');
  for (const line of remains) io.note(`Stays: ${line}`);
  if (missingWei > 0n)
    io.note(`The wallet lacks ${formatEther(missingWei)} of the ${formatEther(maxCostWei)} ETH it may need.`);
}
