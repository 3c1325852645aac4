import { findError } from '@yield-vault/protocol';
import { isHex, type Hex, type RpcRequestError } from 'viem';
import { messageOf } from '../rpc/node-errors.js';
import { upstreamReason } from '../rpc/upstream-reason.js';
import { BundlerRejection } from './bundler-rejection.js';

// JSON-RPC's "server error", for bundlers that leave the code out.
const unknownCode = -32000;
const revertInMessage = /(?:reason:|AA\d\d reverted)\s*(0x(?:[0-9a-fA-F]{2})+)/;

/** Recognise a JSON-RPC refusal of a bundler; `undefined` when it gave no usable response. */
export function asBundlerRejection(error: unknown): BundlerRejection | undefined {
  const response = findError(error, 'RpcRequestError');
  if (!response || upstreamReason(error) !== undefined) return undefined;
  return new BundlerRejection({
    bundlerCode: Number.isSafeInteger(response.code) ? response.code : unknownCode,
    message: messageOf(response),
    revertData: revertDataOf(response),
    cause: error,
  });
}

// Bundlers differ: the bare bytes as data, an object around them, or only the message.
function revertDataOf(response: RpcRequestError): Hex | undefined {
  const { data } = response;
  if (isHex(data)) return data;
  if (typeof data === 'object' && data !== null) {
    const nested = Object.values(data).find((value: unknown): value is Hex => isHex(value) && value !== '0x');
    if (nested !== undefined) return nested;
  }
  return revertInMessage.exec(messageOf(response))?.[1] as Hex | undefined;
}
