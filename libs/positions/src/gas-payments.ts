import { entryPointV08Abi, sponsoredEvents } from '@yield-vault/contracts';
import { sameHex } from '@yield-vault/protocol';
import { getAbiItem, parseEventLogs, toEventSelector, type Hex, type Log } from 'viem';
import type { GasPayment, PositionsChain } from './ports.js';
import type { EventPlace } from './types.js';

/** The contracts whose events show what wallets paid for gas. */
export type GasContracts = Pick<PositionsChain, 'entryPoint' | 'contracts' | 'usdc'>;

/** An operation that the paymaster of the chain paid for. */
export interface SponsoredOperation extends EventPlace {
  readonly userOpHash: Hex;
}

const [ownEvent, ...eventsWithSender] = sponsoredEvents;

/** First topic of a payment to our paymaster. Its second topic is the hash of the operation. */
export const ownTopic = toEventSelector(ownEvent);

/** First topics of the events about gas that have the sender as their third topic. */
export const senderTopics = [
  getAbiItem({ abi: entryPointV08Abi, name: 'UserOperationEvent' }),
  ...eventsWithSender,
].map((event) => toEventSelector(event));

/** Read the payments in USDC that the paymaster reports. */
export function findPayments(
  logs: Log[],
  { contracts, usdc }: GasContracts,
): (GasPayment & SponsoredOperation)[] {
  return parseEventLogs({ abi: sponsoredEvents, logs: logs.filter(at(contracts.paymaster)) })
    .filter(({ args }) => sameHex(args.token, usdc))
    .map(({ args, blockNumber, logIndex }) => ({
      userOpHash: args.userOpHash,
      amount: args.taken,
      blockNumber,
      logIndex,
    }));
}

/** Read the operations that the paymaster paid for. */
export function findOperations(logs: Log[], { entryPoint, contracts }: GasContracts): SponsoredOperation[] {
  return parseEventLogs({
    abi: entryPointV08Abi,
    eventName: 'UserOperationEvent',
    logs: logs.filter(at(entryPoint)),
  })
    .filter(({ args }) => sameHex(args.paymaster, contracts.paymaster))
    .map(({ args: { userOpHash }, blockNumber, logIndex }) => ({ userOpHash, blockNumber, logIndex }));
}

const at = (contract: Hex) => (log: Pick<Log, 'address'>) => sameHex(log.address, contract);
