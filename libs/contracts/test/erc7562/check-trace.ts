import {
  type Address,
  type Hash,
  type Hex,
  decodeFunctionData,
  getAddress,
  hexToBigInt,
  parseEther,
  size,
  slice,
  toFunctionSelector,
  zeroAddress,
} from 'viem';
import { entryPointV08Abi } from '../../src/generated/EntryPointV08.js';
import { type TestChain, entryPoint } from '../support/chain.js';
import {
  type EntityName,
  type Step,
  type Violation,
  addressOf,
  callOf,
  contextOf,
  memoryOf,
  peek,
  readSteps,
  startedPhase,
} from './steps.js';

interface Entity {
  readonly name: EntityName;
  readonly address: Address;
  readonly staked: boolean;
}

/** A call. */
interface Frame {
  /** Whose storage it uses. */
  readonly context: Address;
  /** The entity whose phase of validation this is; absent outside validation. */
  readonly entity?: Entity;
}

// OP-011: what depends on the block or the transaction, and what makes or ends contracts.
const banned = new Set(
  'ORIGIN GASPRICE BLOCKHASH COINBASE TIMESTAMP NUMBER DIFFICULTY PREVRANDAO GASLIMIT BASEFEE BLOBHASH BLOBBASEFEE CREATE INVALID SELFDESTRUCT'.split(
    ' ',
  ),
);
const calls = new Set(['CALL', 'CALLCODE', 'DELEGATECALL', 'STATICCALL']);
const readsCode = new Set(['EXTCODESIZE', 'EXTCODECOPY', 'EXTCODEHASH']);

/** What an opcode breaks wherever it runs. */
const opcodeRules: readonly [
  rule: string,
  breaks: (step: Step, next: Step | undefined, entity: Entity) => boolean,
][] = [
  ['OP-011', ({ op }) => banned.has(op)],
  ['OP-012', ({ op }, next) => op === 'GAS' && !calls.has(next?.op ?? '')],
  ['OP-013', ({ op }) => op === 'Unknown'],
  // No factory: nothing creates a contract.
  ['OP-031', ({ op }) => op === 'CREATE2'],
  ['OP-020', ({ error }) => /OutOfGas|OOG/.test(error ?? '')],
  ['OP-080', ({ op }, _, { staked }) => /^(SELF)?BALANCE$/.test(op) && !staked],
];
const depositTo = toFunctionSelector('depositTo(address)');
const incrementNonce = toFunctionSelector('incrementNonce(uint192)');
// OP-062: the core precompiles and the one of EIP-7951.
const isPrecompile = (address: bigint) => address <= 0x11n || address === 0x100n;
// A structure behind the key of an address may have this many slots.
const structSlots = 128n;
// The least stake is about $1,000, locked for a day.
const minStake = parseEther('0.4');
const minDelaySeconds = 86_400;

/** Slots that belong to an address: its own number, `keccak(address ‖ word)`, and what lies behind that. */
function associations() {
  const bases = new Map<Address, bigint[]>();
  return {
    add(preimage: Hex, slot: bigint): void {
      const [, key] = /^0x0{24}([0-9a-f]{40})[0-9a-f]{64}$/.exec(preimage) ?? [];
      if (key === undefined) return;
      const owner = getAddress(`0x${key}`);
      bases.set(owner, [...(bases.get(owner) ?? []), slot]);
    },
    has: (owner: Address, slot: bigint): boolean =>
      slot === BigInt(owner) ||
      (bases.get(owner) ?? []).some((base) => slot >= base && slot <= base + structSlots),
  };
}

/** The entities that a bundle of one operation names, and whether they have a stake. */
async function readEntities(chain: TestChain, transaction: Hash) {
  const { input, blockNumber } = await chain.client.getTransaction({ hash: transaction });
  const { args } = decodeFunctionData({ abi: entryPointV08Abi, data: input });
  const [userOp] = args?.[0] as readonly { sender: Address; initCode: Hex; paymasterAndData: Hex }[];
  if (!userOp) throw new Error('the bundle is empty');
  const entity = async (name: EntityName, address: Address): Promise<Entity> => {
    const info = await chain.read(entryPoint, entryPointV08Abi, 'getDepositInfo', [address]);
    const staked = info.staked && info.stake >= minStake && info.unstakeDelaySec >= minDelaySeconds;
    return { name, address: getAddress(address), staked };
  };
  const { sender, initCode, paymasterAndData } = userOp;
  const paymaster = size(paymasterAndData) < 20 ? zeroAddress : slice(paymasterAndData, 0, 20);
  return {
    account: await entity('account', sender),
    paymaster: await entity('paymaster', paymaster),
    // The marker of EIP-7702 counts as a factory without a stake, as tracers take it.
    hasInitCode: size(initCode) > 0,
    before: (blockNumber ?? 1n) - 1n,
  };
}

/** Check the validation of a mined bundle of one operation without a factory against ERC-7562. @returns what it breaks; nothing when it is clean */
export async function checkTrace(
  chain: TestChain,
  transaction: Hash,
): Promise<{ readonly violations: readonly Violation[]; readonly entities: readonly string[] }> {
  const structLogs = await readSteps(chain.client.transport.url!, transaction);
  const { hasInitCode, before, ...named } = await readEntities(chain, transaction);
  const sender = named.account.address;

  const violations: Violation[] = [];
  const entities = new Set<string>();
  const touched = new Map<Address, EntityName>();
  const owned = associations();
  let frames: Frame[] = [{ context: entryPoint }];

  for (const [index, step] of structLogs.entries()) {
    const next = structLogs[index + 1];
    frames = frames.slice(0, step.depth);
    const frame = frames.at(-1)!;
    const phase = frame.entity ? undefined : startedPhase(step, frame.context);
    const entity = frame.entity ?? (phase && named[phase]);
    if (entity) entities.add(entity.name);

    if (frame.entity) {
      const broken = [
        ...opcodeRules.filter(([, breaks]) => breaks(step, next, frame.entity!)).map(([rule]) => rule),
        targetRule(step, next, frame.entity, frame.context),
        storageRule(step, frame.entity, frame.context),
      ];
      for (const rule of broken) {
        if (rule) report(rule, `${frame.entity.name} ${step.op} at ${frame.context}`);
      }
    }
    if (/^(SHA3|KECCAK256)$/.test(step.op) && next) {
      owned.add(memoryOf(step, peek(step, 0), peek(step, 1)), peek(next, 0));
    }
    if (next && next.depth > step.depth) {
      frames.push({ context: contextOf(step, frame.context), ...(entity && { entity }) });
    }
  }
  for (const [address, name] of touched) {
    const code = await chain.client.getCode({ address, blockNumber: before });
    // OP-042: the wallet may get its code in this operation.
    if (address === sender) continue;
    if (!code) report('OP-041', `${name} uses ${address}`);
    if (code?.startsWith('0xef0100')) report('AUTH-030', `${name} uses ${address}`);
  }
  return { violations, entities: [...entities] };

  function report(rule: string, what: string): void {
    if (!violations.some((one) => one.rule === rule && one.what === what)) violations.push({ rule, what });
  }

  function targetRule(step: Step, next: Step | undefined, { name }: Entity, context: Address) {
    if (!calls.has(step.op) && !readsCode.has(step.op)) return undefined;
    const target = peek(step, calls.has(step.op) ? 1 : 0);
    const address = addressOf(target);
    if (address === entryPoint) return entryPointRule(step, next, context);
    if (calls.has(step.op) && callOf(step).value !== 0n) return 'OP-061';
    if (target !== 0n && target < 0x10000n) return isPrecompile(target) ? undefined : 'OP-062';
    touched.set(address, name);
    return undefined;
  }

  function entryPointRule(step: Step, next: Step | undefined, from: Address) {
    if (step.op === 'EXTCODESIZE' && next?.op === 'ISZERO') return undefined;
    if (readsCode.has(step.op)) return 'OP-051';
    if (step.op !== 'CALL') return 'OP-054';
    const { data } = callOf(step);
    if (data === '0x') return from === sender ? undefined : 'OP-053';
    if (data.startsWith(incrementNonce)) return from === sender ? undefined : 'OP-055';
    if (!data.startsWith(depositTo)) return 'OP-054';
    return from === sender && addressOf(hexToBigInt(slice(data, 4, 36))) === sender ? undefined : 'OP-052';
  }

  /** OP-070 too. Where bundlers and the text differ, a stake is enough for slots of a new wallet, as bundlers take it. */
  function storageRule(step: Step, entity: Entity, context: Address): string | undefined {
    if (!/^[ST](LOAD|STORE)$/.test(step.op)) return undefined;
    const slot = peek(step, 0);
    // STO-010. OP-052 to OP-054 limit what the entry point does.
    if (context === sender || context === entryPoint) return undefined;
    if (context === entity.address) return entity.staked ? undefined : 'STO-031';
    if (context === named.paymaster.address) return 'STO-031';
    if (owned.has(sender, slot)) {
      return !hasInitCode || entity.staked ? undefined : 'STO-022';
    }
    if (entity.name === 'account') return 'STO-021';
    if (owned.has(entity.address, slot)) return entity.staked ? undefined : 'STO-032';
    return entity.staked && step.op.endsWith('LOAD') ? undefined : 'STO-033';
  }
}
