import { entryPointV08Abi, sponsoredEvents } from '@yield-vault/contracts';
import { sameHex } from '@yield-vault/protocol';
import { getAbiItem, parseEventLogs, type Address, type Hex, type Log } from 'viem';
import { nonceKey, splitNonce } from '../account-call.js';
import { byPlace, type EventPlace } from './share-movements.js';

// With the whole ABI, each log would hash the events before it.
export const operationAbi = [getAbiItem({ abi: entryPointV08Abi, name: 'UserOperationEvent' })] as const;

/** The contracts whose events show operations and what wallets paid for them. */
export interface OperationContracts {
  readonly entryPoint: Address;
  readonly paymaster: Address;
  readonly usdc: Address;
  readonly validator: Address;
}

/** A user operation that the entry point ended, at the place of its UserOperationEvent. */
export interface OperationEvent extends EventPlace {
  /** The sender, lower case. */
  readonly wallet: Address;
  readonly nonce: bigint;
  readonly userOpHash: Hex;
  readonly txHash: Hex;
  /** Base units of USDC that the wallet paid for gas; `undefined` when it paid in another way. */
  readonly gasUsdc: bigint | undefined;
}

/**
 * Read the operations, failed ones too, that used our validator or that the paymaster paid for, in chain order.
 *
 * @param logs - of any contracts, in any order; repeated events count once
 */
export function parseUserOperations(logs: Log[], contracts: OperationContracts): OperationEvent[] {
  const at = (contract: Address) => logs.filter(({ address }) => sameHex(address, contract));
  const paid = new Map(
    parseEventLogs({ abi: sponsoredEvents, logs: at(contracts.paymaster) })
      .filter(({ args }) => !('token' in args) || sameHex(args.token, contracts.usdc))
      .map(({ args }) => [args.userOpHash, args.taken]),
  );
  const key = nonceKey(contracts.validator);
  const operations = parseEventLogs({ abi: operationAbi, logs: at(contracts.entryPoint) })
    .filter(({ args }) => sameHex(args.paymaster, contracts.paymaster) || splitNonce(args.nonce).key === key)
    .map(({ args, transactionHash, blockNumber, logIndex }): OperationEvent => ({
      wallet: args.sender.toLowerCase() as Address,
      nonce: args.nonce,
      userOpHash: args.userOpHash,
      txHash: transactionHash,
      blockNumber,
      logIndex,
      gasUsdc: paid.get(args.userOpHash),
    }));
  return [...new Map(operations.map((each) => [each.userOpHash, each])).values()].sort(byPlace);
}
