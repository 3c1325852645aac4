import { executionModel, type ExecuteResponse } from '@yield-vault/protocol';
import type { VaultMove } from '../ports.js';
import type { Inclusion, VerifiedIntent } from '../types.js';
import { gasPaid } from './gas-paid.js';
import { positionUpdate } from './position-update.js';

/** Build the answer for an operation that succeeded on chain. */
export function buildResponse(
  { chain, userOpHash, operation }: VerifiedIntent,
  moves: readonly VaultMove[],
  inclusion: Inclusion,
): ExecuteResponse {
  const paid = gasPaid(chain, userOpHash, operation, inclusion);
  const update = (move: VaultMove, gas = paid) =>
    positionUpdate(move, chain.key, operation.sender, inclusion, gas);
  // A rebalance is a redeem followed by a deposit: the position that counts is the new one, and it bears the gas.
  const [source, target] = moves.length === 2 ? moves : [undefined, ...moves];
  return {
    executionModel,
    result: 'executed',
    userOpHash,
    txHash: inclusion.txHash,
    chainId: chain.chainId,
    chain: chain.key,
    receipt: {
      status: inclusion.success ? 'success' : 'reverted',
      gasUsed: inclusion.gasUsed.toString(),
      blockNumber: Number(inclusion.blockNumber),
    },
    explorerUrl: chain.explorerTxUrl(inclusion.txHash),
    positionUpdate: update(target as VaultMove),
    ...(source && { sourcePositionUpdate: update(source, { ...paid, amount: '0' }) }),
  };
}
