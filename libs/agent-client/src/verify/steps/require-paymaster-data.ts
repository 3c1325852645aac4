import type { Hex } from 'viem';
import { demand } from '../refused.js';
import type { BookPaymaster } from '../types.js';

// Of a paymaster that lives on an allowance there is nothing to say. Circle's reads its mode first, of which there is
// one; anything longer would hold a permit.
const allowed: Readonly<Record<'own' | 'circle', readonly Hex[]>> = { own: ['0x'], circle: ['0x', '0x00'] };

/** Check that paymaster data is empty, where only the service itself can read it: that there is no telling. */
export function requirePaymasterData({ kind }: BookPaymaster, data: Hex): void {
  demand(
    kind === 'erc7677' || allowed[kind].includes(data),
    'PAYMASTER_DATA_NOT_ALLOWED',
    'userOps.0.userOperation.paymasterAndData',
    'The paymaster is told something that is not needed.',
  );
}
