import { z } from 'zod';
import { gasAskedFor } from './gas-asked-for.js';
import { plainMethods } from './plain-methods.js';

/** A JSON-RPC error answer. */
export interface RpcErrorAnswer {
  readonly jsonrpc: '2.0';
  readonly id: string | number | null;
  readonly error: { readonly code: number; readonly message: string };
}

/** What is to be done with a body. */
export type CheckedBody =
  /** Pass it on as it is. */
  | { readonly verdict: 'forward'; readonly transactions: number }
  /** Answer it here. */
  | {
      readonly verdict: 'answer';
      readonly status: 200 | 400;
      readonly answer: RpcErrorAnswer | RpcErrorAnswer[];
    }
  /** A batch of which a part is refused. */
  | {
      readonly verdict: 'split';
      readonly allowed: readonly unknown[];
      readonly transactions: number;
      readonly refused: readonly RpcErrorAnswer[];
    };

const batchLimit = 1_000;
// About a second of a processor: no node stops a call whose caller has gone.
const gasLimit = 1_000_000_000n;
// Of all calls of a batch that name their gas. A server sends 50 reads of 50,000,000 gas at once.
const batchGasLimit = 4n * gasLimit;
const operatorMethod = /^(anvil|hardhat|evm|tenderly|personal|miner|admin|engine)_|^eth_(send|sign)/;
// Nothing else: there are nodes to which `Method` is a method.
const callSchema = z.strictObject({
  jsonrpc: z.unknown().optional(),
  id: z.union([z.string(), z.number(), z.null()]).optional(),
  method: z.string(),
  params: z.unknown().optional(),
});

// Without a name nodes trace each step; another name may be a program for the node to run.
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

/** Decide which calls of a body may reach a fork. */
export function checkRpcBody(body: unknown): CheckedBody {
  if (!Array.isArray(body)) {
    const { refusal, transactions } = checkCall(body);
    return refusal
      ? { verdict: 'answer', status: 200, answer: refusal }
      : { verdict: 'forward', transactions };
  }
  if (body.length === 0 || body.length > batchLimit) {
    return refuseBatch(`A batch holds 1 to ${String(batchLimit)} calls.`);
  }
  const checked = (body as readonly unknown[]).map(checkCall);
  const refused = checked.flatMap(({ refusal }) => refusal ?? []);
  if (refused.length === checked.length) return { verdict: 'answer', status: 200, answer: refused };
  const passed = checked.filter(({ refusal }) => !refusal);
  if (passed.reduce((sum, { gas }) => sum + gas, 0n) > batchGasLimit) {
    return refuseBatch(
      `The calls of a batch may use ${String(batchGasLimit)} gas at most together. Send them in several.`,
    );
  }
  const transactions = passed.reduce((sum, call) => sum + call.transactions, 0);
  return refused.length === 0
    ? { verdict: 'forward', transactions }
    : { verdict: 'split', allowed: passed.map(({ call }) => call), refused, transactions };
}

function refuseBatch(message: string): CheckedBody {
  return { verdict: 'answer', status: 400, answer: rpcError(null, -32600, message) };
}

/** Make a JSON-RPC error answer. */
export function rpcError(id: RpcErrorAnswer['id'], code: number, message: string): RpcErrorAnswer {
  return { jsonrpc: '2.0', id, error: { code, message } };
}

/** Answer calls that passed the check with one error, each under its id. */
export function failCalls(calls: unknown, code: number, message: string): RpcErrorAnswer | RpcErrorAnswer[] {
  const fail = (call: unknown) => rpcError((call as Partial<RpcErrorAnswer>).id ?? null, code, message);
  return Array.isArray(calls) ? calls.map(fail) : fail(calls);
}

interface CheckedCall {
  readonly call: unknown;
  readonly refusal?: RpcErrorAnswer;
  readonly gas: bigint;
  /** Calls that may add a block. */
  readonly transactions: number;
}

function checkCall(call: unknown): CheckedCall {
  const refuse = (refusal: RpcErrorAnswer): CheckedCall => ({ call, refusal, gas: 0n, transactions: 0 });
  const parsed = callSchema.safeParse(call);
  if (!parsed.success) return refuse(rpcError(null, -32600, 'This is no JSON-RPC call.'));
  const { id = null, method, params } = parsed.data;
  if (!plainMethods.has(method)) {
    return refuse(
      operatorMethod.test(method)
        ? rpcError(id, -32004, `The method ${method.slice(0, 64)} is reserved for the operator of the fork.`)
        : rpcError(id, -32601, `The method ${method.slice(0, 64)} does not exist here.`),
    );
  }
  const gas = gasAskedFor(method, params);
  if (gas > gasLimit) {
    return refuse(rpcError(id, -32602, `A call may use ${String(gasLimit)} gas at most.`));
  }
  if (method === 'debug_traceTransaction' && !callTraceSchema.safeParse(params).success) {
    return refuse(rpcError(id, -32602, traceHelp));
  }
  return { call, gas, transactions: method.startsWith('eth_sendRaw') ? 1 : 0 };
}
