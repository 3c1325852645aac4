import { hexToBytes } from 'viem';
import type { SetupTransaction } from '../types.js';

// EIP-2028, EIP-7623 and EIP-7702.
const perTransaction = 21_000;
const perZeroByte = 4;
const perOtherByte = 16;
const floorPerToken = 10;
const tokensPerOtherByte = 4;
const perAuthorization = 25_000;

/** Compute the gas that a transaction costs before it does anything; its access list, which setups do not need, not counted. */
export function intrinsicGas({
  data,
  authorizationList,
}: Pick<SetupTransaction, 'data' | 'authorizationList'>): bigint {
  const bytes = hexToBytes(data);
  const zeros = bytes.reduce((count, byte) => (byte === 0 ? count + 1 : count), 0);
  const others = bytes.length - zeros;
  const standard = zeros * perZeroByte + others * perOtherByte + authorizationList.length * perAuthorization;
  const floor = (zeros + others * tokensPerOtherByte) * floorPerToken;
  return BigInt(perTransaction + Math.max(standard, floor));
}
