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
const operatorMethod = /^(anvil|hardhat|evm|tenderly|personal|miner|admin|engine)_|^eth_(send|sign)/;
// Nothing else: there are nodes to which `Method` is a method.
const callSchema = z.strictObject({
  jsonrpc: z.unknown().optional(),
  id: z.union([z.string(), z.number(), z.null()]).optional(),
  method: z.string(),
  params: z.unknown().optional(),
});

/** Decide which calls of a body may reach a fork. */
export function checkRpcBody(body: unknown): CheckedBody {
  if (!Array.isArray(body)) {
    const answer = refusalOf(body);
    return answer
      ? { verdict: 'answer', status: 200, answer }
      : { verdict: 'forward', transactions: countTransactions([body]) };
  }
  if (body.length === 0 || body.length > batchLimit) {
    const message = `A batch holds 1 to ${String(batchLimit)} calls.`;
    return { verdict: 'answer', status: 400, answer: rpcError(null, -32600, message) };
  }
  const checked = (body as readonly unknown[]).map((call) => ({ call, refusal: refusalOf(call) }));
  const refused = checked.flatMap(({ refusal }) => refusal ?? []);
  if (refused.length === 0) return { verdict: 'forward', transactions: countTransactions(body) };
  if (refused.length === checked.length) return { verdict: 'answer', status: 200, answer: refused };
  const allowed = checked.filter(({ refusal }) => !refusal).map(({ call }) => call);
  return { verdict: 'split', allowed, refused, transactions: countTransactions(allowed) };
}

/** Count the calls that may add a block each. */
function countTransactions(calls: readonly unknown[]): number {
  return calls.filter((call) => (call as { method: string }).method.startsWith('eth_sendRaw')).length;
}

/** Make a JSON-RPC error answer. */
export function rpcError(id: RpcErrorAnswer['id'], code: number, message: string): RpcErrorAnswer {
  return { jsonrpc: '2.0', id, error: { code, message } };
}

function refusalOf(call: unknown): RpcErrorAnswer | undefined {
  const parsed = callSchema.safeParse(call);
  if (!parsed.success) return rpcError(null, -32600, 'This is no JSON-RPC call.');
  const { id = null, method, params } = parsed.data;
  if (plainMethods.has(method)) {
    return gasAskedFor(method, params) > gasLimit
      ? rpcError(id, -32602, `A call may use ${String(gasLimit)} gas at most.`)
      : undefined;
  }
  return operatorMethod.test(method)
    ? rpcError(id, -32004, `The method ${method.slice(0, 64)} is reserved for the operator of the fork.`)
    : rpcError(id, -32601, `The method ${method.slice(0, 64)} does not exist here.`);
}
