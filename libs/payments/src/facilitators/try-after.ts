import { decodeErrorResult, ExecutionRevertedError, multicall3Abi, parseAbi, type Hex } from 'viem';
import { unavailable } from '../errors.js';
import type { PaymentChain } from '../ports.js';
import type { Call } from './create-gas-account.js';

/**
 * Try a call after earlier ones that are not mined yet. They are put before it, on top of the last block: what nodes
 * call pending is mostly the last block too, or seconds old.
 *
 * @throws {BaseError} when it would revert then
 * @throws {UpstreamUnavailableError} when the node does not answer
 */
export async function tryAfter(
  { rpc, key }: PaymentChain,
  earlier: readonly Call[],
  call: Call,
): Promise<void> {
  if (earlier.length === 0) return;
  const address = rpc.chain?.contracts?.multicall3?.address;
  if (!address) throw unavailable(`rpc:${key}`, 'its chain is described without Multicall3');
  const calls = [...earlier, call].map(({ to, data }) => ({
    target: to,
    callData: data,
    // An earlier one fails here when it is mined by now.
    allowFailure: true,
  }));
  const results = await rpc
    .readContract({ address, abi: multicall3Abi, functionName: 'aggregate3', args: [calls] })
    .catch((error: unknown) => {
      throw unavailable(`rpc:${key}`, 'transfers cannot be tried one after the other', error);
    });
  const last = results.at(-1);
  if (!last?.success) throw new ExecutionRevertedError({ message: reasonOf(last?.returnData) });
}

function reasonOf(returned: Hex = '0x'): string {
  try {
    return decodeErrorResult({ abi: parseAbi(['error Error(string)']), data: returned }).args[0];
  } catch {
    return 'the transfer says no reason';
  }
}
