import {
  type Address,
  type Hash,
  type Hex,
  getAddress,
  hexToBigInt,
  numberToHex,
  toFunctionSelector,
} from 'viem';
import { entryPoint } from '../support/chain.js';

/** One step of `debug_traceTransaction`. */
export interface Step {
  readonly op: string;
  readonly depth: number;
  readonly gas: number;
  readonly gasCost: number;
  readonly stack: readonly string[];
  readonly memory: readonly string[];
  /** Why the frame ended here, as Anvil says it. */
  readonly error?: string;
}

export type EntityName = 'account' | 'paymaster';

/** A rule of ERC-7562 that a validation broke, and how. */
export interface Violation {
  readonly rule: string;
  readonly what: string;
}

const ownContext = new Set(['CALLCODE', 'DELEGATECALL']);

const selector = (name: string) =>
  toFunctionSelector(
    `${name}((address,uint256,bytes,bytes,bytes32,uint256,bytes32,bytes,bytes),bytes32,uint256)`,
  );
const phases: Readonly<Record<Hex, EntityName>> = {
  [selector('validateUserOp')]: 'account',
  [selector('validatePaymasterUserOp')]: 'paymaster',
};

const word = (text: string): bigint => hexToBigInt(text.startsWith('0x') ? (text as Hex) : `0x${text}`);
export const addressOf = (value: bigint): Address =>
  getAddress(numberToHex(value & ((1n << 160n) - 1n), { size: 20 }));

export const peek = ({ stack }: Step, place: number): bigint => word(stack.at(-1 - place) ?? '0');

export function memoryOf({ memory }: Step, offset: bigint, length: bigint): Hex {
  const all = memory.map((part) => part.replace(/^0x/, '')).join('');
  return `0x${all.slice(Number(offset) * 2, Number(offset + length) * 2)}`;
}

/** What a step of a call hands over. */
export function callOf(step: Step) {
  const value = ownContext.has(step.op) || step.op === 'STATICCALL' ? 0n : peek(step, 2);
  const place = step.op === 'CALL' || step.op === 'CALLCODE' ? 3 : 2;
  return { value, data: memoryOf(step, peek(step, place), peek(step, place + 1)) };
}

/** Whose storage the callee of a step uses. */
export const contextOf = (step: Step, context: Address): Address =>
  ownContext.has(step.op) ? context : addressOf(peek(step, 1));

/** The entity whose phase of validation a call of the entry point starts. */
export function startedPhase(step: Step, context: Address): EntityName | undefined {
  if (step.op !== 'CALL' || context !== entryPoint) return undefined;
  return phases[callOf(step).data.slice(0, 10) as Hex];
}

/** Read the steps of a transaction. A trace with memory is larger than viem reads. */
export async function readSteps(url: string, transaction: Hash): Promise<readonly Step[]> {
  const params = [transaction, { enableMemory: true, disableStorage: true }];
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'debug_traceTransaction', params });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body });
  const { result } = (await response.json()) as { readonly result: { readonly structLogs: readonly Step[] } };
  return result.structLogs;
}
