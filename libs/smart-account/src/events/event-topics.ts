import { sponsoredEvents } from '@yield-vault/contracts';
import { toEventSelector } from 'viem';
import { shareAbi } from './share-movements.js';
import { operationAbi } from './user-operations.js';

const [transfer, deposit, withdraw] = shareAbi;
const [ownPayment, circlePayment, singletonPayment] = sponsoredEvents;

/** First topics of all events that `parseShareMovements` and `parseUserOperations` read. */
export const eventTopics = {
  transfer: toEventSelector(transfer),
  deposit: toEventSelector(deposit),
  withdraw: toEventSelector(withdraw),
  userOperation: toEventSelector(operationAbi[0]),
  /** A payment to our paymaster. Its second topic is the hash of the operation, and it does not name the sender. */
  ownPayment: toEventSelector(ownPayment),
  circlePayment: toEventSelector(circlePayment),
  singletonPayment: toEventSelector(singletonPayment),
} as const;
