import {
  concat,
  getAddress,
  hexToBigInt,
  keccak256,
  numberToHex,
  size,
  slice,
  toHex,
  type Address,
  type Hex,
} from 'viem';

/** The most that an account pays for the gas of one operation, to the paymaster of that operation alone. */
export interface GasGrant {
  readonly token: Address;
  /** Base units of `token`, below 2^96. */
  readonly maximum: bigint;
}

const mark = slice(keccak256(toHex('GasGrant(address token,uint96 maximum)')), 0, 4);
const grantBytes = 36;

/**
 * Pack a grant as our account reads it in `paymasterData`: mark ‖ token ‖ uint96 maximum.
 *
 * @throws {IntegerOutOfRangeError} viem's, for a maximum that does not fit
 */
export function encodeGasGrant({ token, maximum }: GasGrant): Hex {
  return concat([mark, token, numberToHex(maximum, { size: 12 })]).toLowerCase() as Hex;
}

/**
 * Unpack the grant in the data of any paymaster, as our account does.
 *
 * @returns `undefined` when it is anything else
 */
export function decodeGasGrant(paymasterData: Hex): GasGrant | undefined {
  const data = paymasterData.toLowerCase() as Hex;
  if (size(data) !== grantBytes || slice(data, 0, 4) !== mark) return undefined;
  return { token: getAddress(slice(data, 4, 24)), maximum: hexToBigInt(slice(data, 24)) };
}
