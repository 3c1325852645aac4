import type { Hex } from 'viem';
import type { SimulatedCallResult } from '../types.js';

/** Name how a call ended: nodes do not tell a halt from a revert without data. */
export function callStatus(success: boolean, returnData: Hex): SimulatedCallResult['status'] {
  if (success) return 'success';
  return returnData === '0x' ? 'halt' : 'revert';
}
