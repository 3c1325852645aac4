import { getAddress } from 'viem';

/** Nobody: has code and holds assets only inside of simulated calls. */
export const simulatedHolder = getAddress('0x00000000000000000000000000000000005EED01');
