import { erc4626Abi, type Address } from 'viem';
import type { Order, Reading, Snapshot } from '../types.js';
import { explainRevert } from './explain-rejection.js';
import type { Quotes } from './plan-hooks.js';
import { readingOf } from './reading.js';
import { sharesOf } from './shares-of.js';

/**
 * Ask the vaults what the order brings now. Only what depends on the wallet's balance is asked here, in one round
 * trip; the rest has been read with the wallet.
 */
export async function readQuotes(order: Order, snapshot: Snapshot): Promise<Quotes> {
  const { instruction, chain, vault } = order;
  const valueOf = (reading: Reading): bigint => {
    if ('value' in reading) return reading.value;
    throw explainRevert(reading.revertReason, order);
  };
  const preview = (address: Address, functionName: 'previewRedeem' | 'previewDeposit', amount: bigint) =>
    chain.rpc.readContract({ address, abi: erc4626Abi, functionName, args: [amount] }).then(
      (result) => result,
      (error: Error) => valueOf(readingOf({ error }, chain)),
    );

  const first = valueOf(snapshot.quote);
  if (instruction.operation === 'deposit') return { out: first, sourceOut: 0n };
  if (instruction.operation === 'redeem' && 'shares' in instruction.amount)
    return { out: first, sourceOut: 0n };

  const shares = sharesOf(order, snapshot.shareBalance);
  const redeemed = preview(vault.vaultAddress, 'previewRedeem', shares);
  if (instruction.operation === 'redeem') return { out: await redeemed, sourceOut: 0n };

  // What the source pays, judged by the price of one share: both vaults can be asked at once, and the target's quote
  // is corrected by the exact number.
  const rough = (first * shares) / 10n ** BigInt(vault.shareDecimals) || 1n;
  const [assets, deposited] = await Promise.all([
    redeemed,
    preview(instruction.target.vaultAddress, 'previewDeposit', rough),
  ]);
  return { out: (deposited * assets) / rough, sourceOut: assets };
}
