import { formatTransactionReceipt, numberToHex, pad, type Hex, type RpcTransactionReceipt } from 'viem';
import { z } from 'zod';
import type { LaunchedFork } from '../ports.js';
import type { SimulatedCall, SimulatedCallResult, SimulationRequest, StateOverride } from '../types.js';
import { callStatus } from './call-status.js';
import { cappedGas } from './capped-gas.js';
import { checkFees, invalidCall } from './invalid-call.js';
import { simulatedTime } from './simulated-time.js';
import { writeCall } from './simulate-v1/build-simulation.js';

// What the OP stack charges for the data of a transaction on top of its gas; a simulated call pays none of it.
const dataFeeWei = 10n ** 15n;
const blockSchema = z.object({ timestamp: z.string(), baseFeePerGas: z.string(), gasLimit: z.string() });
const traceSchema = z.object({ output: z.string().startsWith('0x').default('0x') });

type Request = LaunchedFork['request'];

export interface TransactionSettings {
  readonly opStack: boolean;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/**
 * Run calls as real transactions of an Anvil that nobody else uses: all in one block, as a simulated block has them.
 * After a call with authorizations a further block begins, since the pool cannot foresee the nonces that they use.
 *
 * @throws {PreflightSimulationError} a call could be part of no block
 */
export async function runTransactions(
  { request }: Pick<LaunchedFork, 'request'>,
  { calls, stateOverrides = {} }: SimulationRequest,
  { opStack, now }: TransactionSettings,
): Promise<SimulatedCallResult[]> {
  const base = blockSchema.parse(await request('eth_getBlockByNumber', ['latest', false]));
  const timestamp = simulatedTime({ timestamp: BigInt(base.timestamp) }, now());
  const baseFee = BigInt(base.baseFeePerGas);
  const totalGas = calls.reduce((sum, call) => sum + cappedGas(call), 0n);
  checkFees(calls, baseFee);
  const blockGas = totalGas > BigInt(base.gasLimit) ? totalGas : BigInt(base.gasLimit);

  await request('evm_setAutomine', [false]);
  try {
    for (const [address, state] of Object.entries(stateOverrides)) await override(request, address, state);
    await request('evm_setBlockGasLimit', [numberToHex(blockGas)]);
    const results: SimulatedCallResult[] = [];
    for (const group of inBlocks(calls)) {
      await request('anvil_setNextBlockBaseFeePerGas', [numberToHex(baseFee)]);
      await request('evm_setNextBlockTimestamp', [numberToHex(timestamp + BigInt(results.length && 1))]);
      const sent: SentCall[] = [];
      for (const call of group) sent.push(await send(request, call, { baseFee, opStack }));
      await request('evm_mine');
      for (const each of sent) results.push(await readResult(request, each));
    }
    return results;
  } finally {
    await request('evm_setAutomine', [true]).catch(() => undefined); // It may be gone.
  }
}

function inBlocks(calls: readonly SimulatedCall[]): SimulatedCall[][] {
  const blocks: SimulatedCall[][] = [[]];
  for (const call of calls) {
    blocks.at(-1)?.push(call);
    if (call.authorizationList?.length) blocks.push([]);
  }
  return blocks.filter(({ length }) => length > 0);
}

interface SentCall {
  readonly hash: Hex;
  readonly transaction: Readonly<Record<string, unknown>>;
}

async function send(
  request: Request,
  call: SimulatedCall,
  { baseFee, opStack }: { readonly baseFee: bigint; readonly opStack: boolean },
): Promise<SentCall> {
  const { maxFeePerGas = baseFee, maxPriorityFeePerGas = 0n } = call;
  // A call without fees costs its sender nothing: the sender is given what it pays.
  const isFree = call.maxFeePerGas === undefined;
  const gift = (isFree ? cappedGas(call) * baseFee : 0n) + (opStack ? dataFeeWei : 0n);
  if (gift > 0n) await request('anvil_addBalance', [call.from, numberToHex(gift)]);
  const transaction = writeCall({ ...call, maxFeePerGas, maxPriorityFeePerGas });
  return { transaction, hash: (await request('eth_sendTransaction', [transaction])) as Hex };
}

async function readResult(request: Request, { hash, transaction }: SentCall): Promise<SimulatedCallResult> {
  const raw = (await request('eth_getTransactionReceipt', [hash])) as RpcTransactionReceipt | null;
  if (!raw) {
    // Asked as a question, the node says what it has against it.
    await request('eth_call', [transaction, 'latest']);
    throw invalidCall('NOT_INCLUDED');
  }
  const { status, gasUsed, logs } = formatTransactionReceipt(raw);
  const trace = await request('debug_traceTransaction', [hash, { tracer: 'callTracer' }]);
  const returnData = traceSchema.parse(trace).output as Hex;
  return {
    status: callStatus(status === 'success', returnData),
    gasUsed,
    returnData,
    logs: logs.map(({ address, topics, data }) => ({ address, topics, data })),
  };
}

async function override(request: Request, address: string, state: StateOverride): Promise<void> {
  const { balance, nonce, code, stateDiff = {} } = state;
  if (balance !== undefined) await request('anvil_setBalance', [address, numberToHex(balance)]);
  if (nonce !== undefined) await request('anvil_setNonce', [address, numberToHex(nonce)]);
  if (code !== undefined) await request('anvil_setCode', [address, code]);
  for (const [slot, value] of Object.entries(stateDiff) as [Hex, Hex][]) {
    await request('anvil_setStorageAt', [address, pad(slot), pad(value)]);
  }
}
