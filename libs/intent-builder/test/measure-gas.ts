import type { ActiveChain } from '@yield-vault/chains';
import type { UserOperation } from '@yield-vault/protocol';
import { hexToBigInt, type Hex } from 'viem';

/** A frame of `callTracer`. */
interface CallFrame {
  readonly input: Hex;
  readonly gasUsed: Hex;
  readonly calls?: readonly CallFrame[];
}

/** Gas that the parts of an operation used, each named after the limit that bounds it. */
export type MeasuredGas = Readonly<
  Record<
    'verificationGasLimit' | 'paymasterVerificationGasLimit' | 'callGasLimit' | 'paymasterPostOpGasLimit',
    bigint
  >
>;

// validateUserOp, validatePaymasterUserOp and postOp.
const selectors = {
  verificationGasLimit: '0x19822f7c',
  paymasterVerificationGasLimit: '0x52b7512c',
  paymasterPostOpGasLimit: '0x7c627b21',
} as const;

/** Trace the bundle of an operation that was included alone, and say what each part of it used. */
export async function measureGas(
  { rpc }: ActiveChain,
  transactionHash: Hex,
  operation: UserOperation,
): Promise<MeasuredGas> {
  const params = [transactionHash, { tracer: 'callTracer' }];
  const root = (await rpc.request({ method: 'debug_traceTransaction', params } as never)) as CallFrame;
  const used = (start: Hex) => {
    const frame = find(root, start);
    if (!frame) throw new Error(`no call of the bundle begins with ${start.slice(0, 10)}`);
    return hexToBigInt(frame.gasUsed);
  };
  return {
    verificationGasLimit: used(selectors.verificationGasLimit),
    paymasterVerificationGasLimit: used(selectors.paymasterVerificationGasLimit),
    callGasLimit: used(operation.callData),
    paymasterPostOpGasLimit: used(selectors.paymasterPostOpGasLimit),
  };
}

function find(frame: CallFrame, start: Hex): CallFrame | undefined {
  if (frame.input.startsWith(start)) return frame;
  for (const call of frame.calls ?? []) {
    const found = find(call, start);
    if (found) return found;
  }
  return undefined;
}
