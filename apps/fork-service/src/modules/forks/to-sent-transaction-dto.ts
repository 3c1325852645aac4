import type { SentTransaction } from '@yield-vault/forks';
import type { SentTransactionDto } from './fork.dto.js';

/** Write a mined transaction as the interface shows it. */
export function toSentTransactionDto(sent: SentTransaction): SentTransactionDto {
  const { hash, success, gasUsed, logs, returnData } = sent;
  return {
    hash,
    success,
    gasUsed: gasUsed.toString(),
    logs: logs.map((log) => ({
      address: log.address,
      topics: log.topics,
      data: log.data,
      blockNumber: (log.blockNumber ?? 0n).toString(),
      blockHash: log.blockHash ?? hash,
      transactionHash: log.transactionHash ?? hash,
      transactionIndex: log.transactionIndex ?? 0,
      logIndex: log.logIndex ?? 0,
    })),
    returnData,
  };
}
