import { decodeRevertReason, entryPointV08Abi } from '@yield-vault/contracts';
import { findAaCode, sameHex, type UserOperation } from '@yield-vault/protocol';
import { decodeErrorResult, getAbiItem, parseEventLogs, type Address, type Hex, type Log } from 'viem';
import type { OperationOutcome, SimulatedCall, SimulatedCallResult } from './types.js';

// Reasons of a call that reverted without data; the last two are OpenZeppelin's.
const silentFailures = new Set(['NO_REASON', 'FailedCall', 'FailedInnerCall']);

// With the whole ABI, each read would hash every event.
const outcomeEvents = [
  getAbiItem({ abi: entryPointV08Abi, name: 'UserOperationEvent' }),
  getAbiItem({ abi: entryPointV08Abi, name: 'UserOperationRevertReason' }),
  getAbiItem({ abi: entryPointV08Abi, name: 'PostOpRevertReason' }),
  getAbiItem({ abi: entryPointV08Abi, name: 'UserOperationPrefundTooLow' }),
] as const;

interface Bundle {
  readonly entryPoint: Address;
  readonly operation: UserOperation;
  readonly userOpHash: Hex;
  readonly call: SimulatedCall;
}

/** Read what a bundle did. Only this operation's `UserOperationEvent` with `success` is success. */
export function readOutcome(bundle: Bundle, result: SimulatedCallResult): OperationOutcome {
  switch (result.status) {
    case 'success':
      return fromEvents(bundle, result);
    case 'revert':
      return fromRevert(result.returnData);
    case 'halt':
      return failed(result.gasUsed >= bundle.call.gas ? 'OUT_OF_GAS' : 'HALTED', '0x');
  }
}

function fromEvents(
  { entryPoint, operation, userOpHash }: Bundle,
  result: SimulatedCallResult,
): OperationOutcome {
  const events = parseEventLogs({
    abi: outcomeEvents,
    // The first argument of the entry point's events is the hash. Block fields of the logs are not read.
    logs: result.logs.filter(
      ({ address, topics }) => sameHex(address, entryPoint) && sameHex(topics[1], userOpHash),
    ) as Log[],
  });

  const end = events.find(({ eventName }) => eventName === 'UserOperationEvent');
  if (end?.eventName !== 'UserOperationEvent') return failed('NOT_EXECUTED', '0x');
  const { success, actualGasUsed } = end.args;
  if (success) return { success, operationGasUsed: actualGasUsed };

  // A call that failed without data, and used all its gas, ran out of gas.
  const isSpent = actualGasUsed >= operation.preVerificationGas + operation.callGasLimit;
  const orOutOfGas = (reason: string) => (isSpent && silentFailures.has(reason) ? 'OUT_OF_GAS' : reason);
  for (const event of events) {
    const { eventName } = event;
    if (eventName === 'PostOpRevertReason') {
      const { revertReason } = event.args;
      return failed(decodeRevertReason(revertReason), revertReason, 'AA50');
    }
    if (eventName === 'UserOperationPrefundTooLow') return failed('PREFUND_TOO_LOW', '0x', 'AA51');
    if (eventName === 'UserOperationRevertReason') {
      return failed(orOutOfGas(decodeRevertReason(event.args.revertReason)), event.args.revertReason);
    }
  }
  // The entry point gives no reason when there are no bytes.
  return failed(orOutOfGas('NO_REASON'), '0x');
}

function fromRevert(data: Hex): OperationOutcome {
  return failed(decodeRevertReason(data), data, aaCodeOf(data));
}

/** The entry point puts the code into the text of its own two errors. */
function aaCodeOf(data: Hex): string | undefined {
  try {
    const error = decodeErrorResult({ abi: entryPointV08Abi, data });
    const isRefusal = error.errorName === 'FailedOp' || error.errorName === 'FailedOpWithRevert';
    return isRefusal ? findAaCode(error.args[1]) : undefined;
  } catch {
    return undefined;
  }
}

function failed(revertReason: string, revertData: Hex, aaCode?: string): OperationOutcome {
  return { success: false, revertReason, aaCode, revertData };
}
