import {
  type Address,
  type Hash,
  type Hex,
  decodeFunctionData,
  encodeAbiParameters,
  hexToBigInt,
  hexToNumber,
  parseAbiParameters,
  size,
  slice,
} from 'viem';
import { recoverAuthorizationAddress } from 'viem/utils';
import { entryPointV08Abi } from '../../src/generated/EntryPointV08.js';
import type { PackedUserOperation } from '../support/account.js';
import { type TestChain, entryPoint } from '../support/chain.js';
import {
  type EntityName,
  type Step,
  type Violation,
  contextOf,
  memoryOf,
  peek,
  readSteps,
  startedPhase,
} from './steps.js';

/** What one phase of the validation of an operation took. */
export interface Phase {
  readonly entity: EntityName;
  readonly gasLimit: number;
  readonly gasUsed: number;
  /** Bytes of the context that a paymaster returned. */
  readonly contextSize: number;
}

const maxUserOpBytes = 8_192;
const maxContextBytes = 2_048;
const maxBundleBytes = 262_144;
const maxBundleContextBytes = 65_536;
const validationGasSlack = 4_000;
const maxVerificationGas = 500_000n;
const preVerificationOverhead = 50_000;

const packedUserOp = parseAbiParameters(
  '(address sender, uint256 nonce, bytes initCode, bytes callData, bytes32 accountGasLimits, uint256 preVerificationGas, bytes32 gasFees, bytes paymasterAndData, bytes signature)',
);

/** Read the phases of a mined bundle, in the order of its operations: an account's, then its paymaster's. */
export async function readPhases(chain: TestChain, transaction: Hash): Promise<readonly Phase[]> {
  const steps = await readSteps(chain.client.transport.url!, transaction);
  const phases: Phase[] = [];
  const contexts: Address[] = [entryPoint];
  for (const [index, step] of steps.entries()) {
    const next = steps[index + 1];
    const context = contexts[step.depth - 1]!;
    if (!next || next.depth <= step.depth) continue;
    contexts[step.depth] = contextOf(step, context);
    const entity = startedPhase(step, context);
    if (!entity) continue;
    const end =
      steps.slice(index).findIndex((later, place) => place > 0 && later.depth === step.depth) + index - 1;
    const last = steps[end]!;
    // As the entry point compares it with the limit: between the two times that it reads the gas left, around the call.
    const isReading = ({ op, depth }: Step) => op === 'GAS' && depth === step.depth;
    const gasUsed = steps.slice(0, index).findLast(isReading)!.gas - steps.slice(end).find(isReading)!.gas;
    phases.push({ entity, gasLimit: next.gas, gasUsed, contextSize: contextSizeOf(entity, last) });
  }
  return phases;
}

function contextSizeOf(entity: EntityName, last: Step): number {
  if (entity !== 'paymaster' || last.op !== 'RETURN') return 0;
  const result = memoryOf(last, peek(last, 0), peek(last, 1));
  const offset = hexToNumber(slice(result, 0, 32));
  return hexToNumber(slice(result, offset, offset + 32));
}

/** Check a mined bundle against the rules LIM, AUTH-010, AUTH-020, AUTH-040 and EREP-050 of ERC-7562. */
export async function checkLimits(chain: TestChain, transaction: Hash): Promise<readonly Violation[]> {
  const { input, authorizationList = [] } = await chain.client.getTransaction({ hash: transaction });
  const { args } = decodeFunctionData({ abi: entryPointV08Abi, data: input });
  const userOps = args![0] as readonly PackedUserOperation[];
  const phases = await readPhases(chain, transaction);
  const violations: Violation[] = [];
  const check = (isBroken: boolean, rule: string, what: unknown) => {
    if (isBroken) violations.push({ rule, what: String(what) });
  };

  const contextBytes = phases.reduce((sum, { contextSize }) => sum + contextSize, 0);
  check(size(input) > maxBundleBytes, 'LIM-040', size(input));
  check(contextBytes > maxBundleContextBytes, 'LIM-050', contextBytes);
  for (const { entity, gasLimit, gasUsed, contextSize } of phases) {
    check(contextSize > maxContextBytes, 'LIM-020', contextSize);
    check(gasLimit - gasUsed < validationGasSlack, 'LIM-030', `${entity} has ${gasLimit - gasUsed} left`);
  }
  for (const userOp of userOps) {
    const encoded = encodeAbiParameters(packedUserOp, [userOp]);
    const { paymasterAndData } = userOp;
    const limits: Hex[] = [slice(userOp.accountGasLimits, 0, 16)];
    if (paymasterAndData !== '0x') limits.push(slice(paymasterAndData, 20, 36));
    check(size(encoded) > maxUserOpBytes, 'LIM-010', size(encoded));
    for (const limit of limits) check(hexToBigInt(limit) >= maxVerificationGas, 'LIM-060', limit);
    const least = BigInt(calldataGas(encoded) + preVerificationOverhead);
    check(userOp.preVerificationGas < least, 'LIM-070', `${userOp.preVerificationGas} of ${least}`);
    if (paymasterAndData !== '0x') await checkPaymaster(slice(paymasterAndData, 0, 20));
  }
  const delegates = new Map<Address, Address[]>();
  for (const authorization of authorizationList) {
    const authority = await recoverAuthorizationAddress({ authorization });
    delegates.set(authority, [...(delegates.get(authority) ?? []), authorization.address]);
  }
  for (const userOp of userOps) {
    const own = delegates.get(userOp.sender) ?? [];
    const count = userOps.filter(({ sender }) => sender === userOp.sender).length;
    check(own.length > count, 'AUTH-010', `${own.length} of ${userOp.sender}`);
    check(new Set(own).size > 1, 'AUTH-040', own.join());
  }
  return violations;

  async function checkPaymaster(address: Address): Promise<void> {
    const code = await chain.client.getCode({ address });
    check(code?.startsWith('0xef0100') ?? false, 'AUTH-020', address);
    const { staked } = await chain.read(entryPoint, entryPointV08Abi, 'getDepositInfo', [address]);
    check(!staked && contextBytes > 0, 'EREP-050', address);
  }
}

/** Compare the validation of an operation in its bundle with an earlier one. */
export function compareValidations(earlier: readonly Phase[], later: readonly Phase[]): readonly string[] {
  return earlier.flatMap(({ entity, gasUsed, contextSize }, index) => {
    const { gasUsed: present, contextSize: presentSize } = later[index]!;
    return [
      ...(contextSize === presentSize ? [] : ['EREP-055']),
      ...(entity === 'paymaster' && present < 0.9 * gasUsed ? ['EREP-070'] : []),
    ];
  });
}

function calldataGas(data: Hex): number {
  let gas = 0;
  for (let place = 2; place < data.length; place += 2) gas += data.slice(place, place + 2) === '00' ? 4 : 16;
  return gas;
}
