import {
  type Address,
  type Hash,
  type Hex,
  getAddress,
  hexToBigInt,
  numberToHex,
  pad,
  toFunctionSelector,
} from 'viem';
import { type TestChain, entryPoint } from '../support/chain.js';

/** One step of `debug_traceTransaction`. */
interface Step {
  readonly op: string;
  readonly depth: number;
  readonly stack: readonly string[];
  readonly memory: readonly string[];
}

/** A call during validation. */
interface Frame {
  /** Whose storage it uses. */
  readonly context: Address;
  /** The entity that the entry point asked; absent outside validation. */
  readonly entity?: 'account' | 'paymaster';
}

/** A rule of ERC-7562 that a validation broke, and how. */
export interface Violation {
  readonly rule: string;
  readonly what: string;
}

export interface TraceOptions {
  readonly sender: Address;
  readonly paymaster: Address;
  /** Whether the paymaster has a stake; true unless given. */
  readonly staked?: boolean;
  /** Token whose slots of the wallet the operation that delegates may use, although its factory has no stake. */
  readonly firstOperationToken?: Address;
}

// OP-011 and OP-080: what depends on the block or on balances.
const banned = new Set(
  'ORIGIN GASPRICE BLOCKHASH COINBASE TIMESTAMP NUMBER DIFFICULTY PREVRANDAO RANDAO GASLIMIT BASEFEE BLOBHASH BLOBBASEFEE CREATE CREATE2 SELFDESTRUCT INVALID BALANCE SELFBALANCE'.split(
    ' ',
  ),
);
const calls = new Set(['CALL', 'CALLCODE', 'DELEGATECALL', 'STATICCALL']);
const touchesCode = new Set([...calls, 'EXTCODESIZE', 'EXTCODECOPY', 'EXTCODEHASH']);
const validations: Readonly<Record<Hex, Frame['entity']>> = {
  [toFunctionSelector(
    'validateUserOp((address,uint256,bytes,bytes,bytes32,uint256,bytes32,bytes,bytes),bytes32,uint256)',
  )]: 'account',
  [toFunctionSelector(
    'validatePaymasterUserOp((address,uint256,bytes,bytes,bytes32,uint256,bytes32,bytes,bytes),bytes32,uint256)',
  )]: 'paymaster',
};
const allowedPrecompiles = 0x11n;
// STO-021: a structure behind a key of an address may have this many slots.
const structSlots = 128n;

const word = (text: string): bigint => hexToBigInt(text.startsWith('0x') ? (text as Hex) : `0x${text}`);
const addressOf = (value: bigint): Address =>
  getAddress(numberToHex(value & ((1n << 160n) - 1n), { size: 20 }));

function memoryOf({ memory }: Step, offset: bigint, length: bigint): Hex {
  const all = memory.map((part) => part.replace(/^0x/, '')).join('');
  return `0x${all.slice(Number(offset) * 2, Number(offset + length) * 2)}`;
}

/** Read the steps of a transaction. A trace with memory is larger than viem reads. */
async function readSteps(url: string, transaction: Hash): Promise<readonly Step[]> {
  const params = [transaction, { enableMemory: true, disableStorage: true }];
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'debug_traceTransaction', params });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body });
  const { result } = (await response.json()) as { readonly result: { readonly structLogs: readonly Step[] } };
  return result.structLogs;
}

/** Slots that belong to an address: hashes that begin with it, and what lies behind them. */
function associations() {
  const bases = new Map<Address, bigint[]>();
  return {
    add(preimage: Hex, slot: bigint): void {
      const [, key] = /^0x0{24}([0-9a-f]{40})/.exec(preimage) ?? [];
      if (key === undefined) return;
      const owner = getAddress(`0x${key}`);
      bases.set(owner, [...(bases.get(owner) ?? []), slot]);
    },
    has: (owner: Address, slot: bigint): boolean =>
      (bases.get(owner) ?? []).some((base) => slot >= base && slot <= base + structSlots),
  };
}

/** Check the validation of a mined bundle of one operation against ERC-7562. @returns what it breaks; nothing when it is clean */
export async function checkTrace(
  chain: TestChain,
  transaction: Hash,
  { sender, paymaster, staked = true, firstOperationToken }: TraceOptions,
): Promise<{ readonly violations: readonly Violation[]; readonly entities: readonly string[] }> {
  const structLogs = await readSteps(chain.client.transport.url!, transaction);

  const violations: Violation[] = [];
  const entities = new Set<string>();
  const touched = new Set<Address>();
  const owned = associations();
  let frames: Frame[] = [{ context: entryPoint }];

  for (const [index, step] of structLogs.entries()) {
    const next = structLogs[index + 1];
    frames = frames.slice(0, step.depth);
    const frame = frames.at(-1)!;
    const peek = (place: number) => word(step.stack.at(-1 - place) ?? '0');
    const entity = enteredEntity(step, frame);

    if (frame.entity !== undefined) {
      checkOpcode(step, next, frame.entity);
      if (/^T?S(LOAD|STORE)$|^TLOAD$|^TSTORE$/.test(step.op)) checkStorage(step, frame, peek(0));
    }
    if (/^(SHA3|KECCAK256)$/.test(step.op) && next) {
      owned.add(memoryOf(step, peek(0), peek(1)), word(next.stack.at(-1) ?? '0'));
    }
    if (calls.has(step.op) && next && next.depth > step.depth) {
      const context =
        step.op === 'DELEGATECALL' || step.op === 'CALLCODE' ? frame.context : addressOf(peek(1));
      const inside = frame.entity ?? entity;
      if (entity) entities.add(entity);
      frames.push({ context, ...(inside && { entity: inside }) });
    }
  }
  for (const address of touched) {
    if (!(await chain.client.getCode({ address }))) report('OP-041', `${address} has no code`);
  }
  return { violations, entities: [...entities] };

  function report(rule: string, what: string): void {
    if (!violations.some((one) => one.rule === rule && one.what === what)) violations.push({ rule, what });
  }

  /** The entity that a call of the entry point starts to validate. */
  function enteredEntity(step: Step, frame: Frame): Frame['entity'] {
    if (step.op !== 'CALL' || frame.context !== entryPoint || frame.entity !== undefined) return undefined;
    const selector = memoryOf(step, word(step.stack.at(-4) ?? '0'), 4n);
    return validations[selector];
  }

  function checkOpcode(step: Step, next: Step | undefined, entity: string): void {
    const peek = (place: number) => word(step.stack.at(-1 - place) ?? '0');
    if (banned.has(step.op)) report('OP-011', `${entity} uses ${step.op}`);
    if (step.op === 'GAS' && !calls.has(next?.op ?? '')) report('OP-012', `${entity} reads the gas left`);
    if (!touchesCode.has(step.op)) return;
    const target = peek(calls.has(step.op) ? 1 : 0);
    if (target < 0x10000n) {
      if (target === 0n || target > allowedPrecompiles) report('OP-062', `${entity} calls ${target}`);
      return;
    }
    const address = addressOf(target);
    touched.add(address);
    if (step.op === 'CALL' && peek(2) !== 0n && address !== entryPoint) {
      report('OP-061', `${entity} sends value to ${address}`);
    }
    if (calls.has(step.op) && address === entryPoint) report('OP-054', `${entity} calls the entry point`);
  }

  function checkStorage(step: Step, { context, entity }: Frame, slot: bigint): void {
    if (context === getAddress(sender)) return;
    const isFirst = firstOperationToken !== undefined;
    if (owned.has(getAddress(sender), slot)) {
      // STO-022: no slots of the wallet elsewhere, as long as a factory without a stake makes it.
      if (isFirst && context !== getAddress(firstOperationToken)) report('STO-022', `${context} ${step.op}`);
      return;
    }
    const own = context === getAddress(paymaster) || owned.has(getAddress(paymaster), slot);
    if (entity === 'paymaster' && staked && (own || step.op.endsWith('LOAD'))) return;
    const rule = entity === 'account' ? 'STO-021' : staked ? 'STO-033' : 'STO-031';
    report(rule, `${entity} ${step.op} at ${context}`);
  }
}

/** The canonical `initCode` of an operation that delegates. */
export const delegationMarker = pad('0x7702', { dir: 'right', size: 20 });
