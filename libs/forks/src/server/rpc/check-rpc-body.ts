import { z } from 'zod';
import { nameGas, requestedGas } from './requested-gas.js';

/** A JSON-RPC error response. */
export interface RpcErrorResponse {
  readonly jsonrpc: '2.0';
  readonly id: string | number | null;
  readonly error: { readonly code: number; readonly message: string };
}

/** How to handle a body. */
export type CheckedBody =
  /** Forward it unchanged. */
  | { readonly action: 'forward' }
  /** Respond without the fork. */
  | {
      readonly action: 'respond';
      readonly status: 200 | 400;
      readonly response: RpcErrorResponse | RpcErrorResponse[];
    }
  /** Forward these calls instead, and refuse the rest of the batch. */
  | {
      readonly action: 'replace';
      readonly calls: unknown;
      readonly refused: readonly RpcErrorResponse[];
    };

/**
 * The methods that wallets, bundlers and indexers may call on a fork: they read, or send signed transactions. Methods
 * that control the node are reserved for its operator. So is tracing, whose responses have no bound: a call of
 * 3,000,000 gas makes 60 MB. `debug_traceTransaction` is limited by its parameters. `eth_fillTransaction` is missing
 * because its estimate has no limit; clients then estimate the gas themselves.
 */
const plainMethods: ReadonlySet<string> = new Set(
  `eth_accounts eth_blobBaseFee eth_blockNumber eth_call eth_chainId eth_createAccessList eth_estimateGas eth_feeHistory
  eth_gasPrice eth_getAccount eth_getAccountInfo eth_getBalance eth_getBlockByHash
  eth_getBlockByNumber eth_getBlockReceipts eth_getBlockTransactionCountByHash eth_getBlockTransactionCountByNumber
  eth_getCode eth_getFilterChanges eth_getFilterLogs eth_getLogs eth_getProof eth_getRawTransactionByHash
  eth_getStorageAt eth_getTransactionByBlockHashAndIndex eth_getTransactionByBlockNumberAndIndex
  eth_getTransactionByHash eth_getTransactionCount eth_getTransactionReceipt eth_getUncleCountByBlockHash
  eth_getUncleCountByBlockNumber eth_maxPriorityFeePerGas eth_newBlockFilter eth_newFilter
  eth_newPendingTransactionFilter eth_protocolVersion eth_sendRawTransaction eth_sendRawTransactionSync eth_simulateV1
  eth_syncing eth_uninstallFilter debug_traceTransaction net_listening net_peerCount net_version txpool_content
  txpool_inspect txpool_status web3_clientVersion web3_sha3`.split(/\s+/),
);

const batchLimit = 1_000;
// About a second of processor time. No node stops a call when its caller disconnects.
const gasLimit = 1_000_000_000n;
// The API sends 50 reads of 50,000,000 gas at once.
const batchGasLimit = 4n * gasLimit;
const operatorMethod = /^(anvil|hardhat|evm|personal|miner|admin|engine)_|^eth_(send|sign)/;
// Strict: some nodes also read a key such as `Method`.
const callSchema = z.strictObject({
  jsonrpc: z.unknown().optional(),
  id: z.union([z.string(), z.number(), z.null()]).optional(),
  method: z.string(),
  params: z.unknown().optional(),
});

// Without a tracer nodes trace each step. Another tracer may be a program for the node to run.
const callTraceSchema = z.tuple([
  z.unknown(),
  z.strictObject({
    tracer: z.literal('callTracer'),
    tracerConfig: z.unknown().optional(),
    timeout: z.string().optional(),
    reexec: z.number().optional(),
  }),
]);
const traceHelp =
  'Trace with callTracer: [hash, {"tracer": "callTracer"}]. Of other options there are tracerConfig, timeout and reexec.';

const simulationHelp = 'Simulate with [{"blockStateCalls": [{"calls": [call, ...]}]}, block].';

/** Decide which calls of a body may reach a fork. */
export function checkRpcBody(body: unknown): CheckedBody {
  if (!Array.isArray(body)) {
    const { refusal, call } = checkCall(body);
    if (refusal) return { action: 'respond', status: 200, response: refusal };
    return call === body ? { action: 'forward' } : { action: 'replace', calls: call, refused: [] };
  }
  if (body.length === 0 || body.length > batchLimit) {
    return refuseBatch(`A batch holds 1 to ${String(batchLimit)} calls.`);
  }
  const checked = (body as readonly unknown[]).map(checkCall);
  const refused = checked.flatMap(({ refusal }) => refusal ?? []);
  if (refused.length === checked.length) return { action: 'respond', status: 200, response: refused };
  const passed = checked.filter(({ refusal }) => !refusal);
  if (passed.reduce((sum, { gas }) => sum + gas, 0n) > batchGasLimit) {
    return refuseBatch(
      `The calls of a batch may use at most ${String(batchGasLimit)} gas together. Send several batches.`,
    );
  }
  const calls = passed.map(({ call }) => call);
  const isSame = calls.length === body.length && calls.every((call, index) => call === body[index]);
  return isSame ? { action: 'forward' } : { action: 'replace', calls, refused };
}

function refuseBatch(message: string): CheckedBody {
  return { action: 'respond', status: 400, response: rpcError(null, -32600, message) };
}

/** Make a JSON-RPC error response. */
export function rpcError(id: RpcErrorResponse['id'], code: number, message: string): RpcErrorResponse {
  return { jsonrpc: '2.0', id, error: { code, message } };
}

/** Make the same error response for every call of a checked body. */
export function failCalls(
  calls: unknown,
  code: number,
  message: string,
): RpcErrorResponse | RpcErrorResponse[] {
  const fail = (call: unknown) => rpcError((call as Partial<RpcErrorResponse>).id ?? null, code, message);
  return Array.isArray(calls) ? calls.map(fail) : fail(calls);
}

interface CheckedCall {
  /** The call to forward. */
  readonly call: unknown;
  readonly refusal?: RpcErrorResponse;
  readonly gas: bigint;
}

function checkCall(call: unknown): CheckedCall {
  const refuse = (refusal: RpcErrorResponse): CheckedCall => ({ call, refusal, gas: 0n });
  const parsed = callSchema.safeParse(call);
  if (!parsed.success) return refuse(rpcError(null, -32600, 'This is not a JSON-RPC call.'));
  const { id = null, method, params } = parsed.data;
  if (!plainMethods.has(method)) {
    return refuse(
      operatorMethod.test(method)
        ? rpcError(id, -32004, `The method ${method.slice(0, 64)} is reserved for the operator of the fork.`)
        : rpcError(id, -32601, `The method ${method.slice(0, 64)} does not exist here.`),
    );
  }
  const limited = nameGas(method, params);
  if (limited === undefined && params !== undefined) return refuse(rpcError(id, -32602, simulationHelp));
  const gas = requestedGas(method, limited);
  if (gas > gasLimit) {
    return refuse(rpcError(id, -32602, `A call may use at most ${String(gasLimit)} gas.`));
  }
  if (method === 'debug_traceTransaction' && !callTraceSchema.safeParse(params).success) {
    return refuse(rpcError(id, -32602, traceHelp));
  }
  return { call: limited === params ? call : { ...parsed.data, params: limited }, gas };
}
