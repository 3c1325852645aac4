import { createPublicClient, formatEther, http, type Address, type PublicClient } from 'viem';
import type { Delegation } from '../delegation/describe-delegation.js';
import { prepareRevocation, type Revocation } from '../delegation/revoke-delegation.js';
import { prepareIntentsRevocation } from '../delegation/revoke-intents.js';
import { toJson, type CliIo } from './io.js';
import { required, type Session } from './session.js';

/** Print the unsigned transaction that revokes the delegation of a wallet as JSON, and notes on what it does. */
export async function revokeWallet(wallet: Address, session: Session, io: CliIo): Promise<void> {
  const { rpc, addressBook, revokeUnknown = false } = session;
  const revocation = await prepareRevocation(nodeAt(rpc), wallet, { addressBook, revokeUnknown });
  const { report, transaction, remains, maxCostWei, missingWei } = revocation;

  io.out(toJson({ report, transaction, maxCostWei, missingWei, remains }));
  io.note(`${report.wallet} on chain ${report.chainId}: ${delegationLine(report.delegation)}`);
  if (!transaction) io.note('Nothing to revoke.');
  noteEffects(revocation, io);
  for (const line of remains) io.note(`Remains: ${line}`);
}

/** Print the unsigned transaction that revokes every signed intent of a wallet as JSON, and notes on what it does. */
export async function revokeIntents(wallet: Address, session: Session, io: CliIo): Promise<void> {
  const { summary, ...rest } = await prepareIntentsRevocation(nodeAt(session.rpc), wallet, session);
  io.out(toJson(rest));
  noteEffects({ summary, ...rest }, io);
}

function nodeAt(url: string | undefined): PublicClient {
  return createPublicClient({
    transport: http(required(url, 'rpc'), { batch: true, timeout: 20_000, retryCount: 2 }),
  });
}

type Effects = Pick<Revocation, 'summary' | 'maxCostWei' | 'missingWei'>;

function noteEffects({ summary, maxCostWei, missingWei }: Effects, io: CliIo): void {
  for (const line of summary) io.note(`  ${line}`);
  if (missingWei > 0n)
    io.note(`The wallet lacks ${formatEther(missingWei)} of the ${formatEther(maxCostWei)} ETH it may need.`);
}

function delegationLine(delegation: Delegation): string {
  if (delegation.kind === 'none') return 'not delegated';
  if (delegation.kind === 'contract') return 'a contract';
  const { kind, implementation } = delegation;
  return `delegated to ${kind === 'ours' ? 'our account' : 'the unknown implementation'} ${implementation}`;
}
