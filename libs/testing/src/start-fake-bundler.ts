import { keccak256, numberToHex, stringToHex, type Hex } from 'viem';
import { RpcFailure, startFakeRpc, type FakeRpc, type RpcHandler } from './start-fake-rpc.js';
import type { RpcProxyHook } from './start-rpc-proxy.js';

/** How a kind of bundler differs from others. Data, so that the same tests run against each. */
export interface BundlerProfile {
  /** Methods beyond those that every bundler has. */
  readonly methods: readonly string[];
  readonly unknownMethod: (method: string) => RpcFailure;
  /** HTTP status of its JSON-RPC errors. */
  readonly errorStatus: number;
  /** Its response to a third parameter of an estimate; `undefined` where it takes state overrides. */
  readonly stateOverride: RpcFailure | undefined;
  /** Whether `eth_getUserOperationByHash` finds an operation before its inclusion. */
  readonly showsPending: boolean;
  readonly smallestPriorityFee: bigint;
  readonly lowPriorityFee: RpcFailure;
  /** Its response to the marker `0x7702` without an authorization; `undefined` where it takes that. */
  readonly bareMarker: RpcFailure | undefined;
  readonly staleAuthorization: RpcFailure;
}

/** Bundlers as the source of Alto and Rundler (Alchemy) of August 2026 shows them, and a gateway that passes little on. */
export const bundlerProfiles = {
  alto: {
    methods: [
      'pimlico_getUserOperationGasPrice',
      'pimlico_getUserOperationStatus',
      'eth_getUserOperationByHash',
      'eth_getUserOperationReceipt',
    ],
    unknownMethod: (method) => new RpcFailure(-32601, `Method not supported: ${method}`),
    errorStatus: 200,
    stateOverride: undefined,
    showsPending: false,
    smallestPriorityFee: 90n,
    lowPriorityFee: new RpcFailure(-32602, 'maxPriorityFeePerGas must be at least 90'),
    bareMarker: new RpcFailure(
      -32602,
      'Invalid EIP-7702 userOperation: factory is 0x7702 but eip7702Auth is not provided.',
    ),
    staleAuthorization: new RpcFailure(
      -32602,
      'Invalid EIP-7702 authorization: The nonce does not match the userOperation sender address',
    ),
  },
  alchemy: {
    methods: ['rundler_maxPriorityFeePerGas', 'eth_getUserOperationByHash', 'eth_getUserOperationReceipt'],
    unknownMethod: (method) => new RpcFailure(-32600, `Unsupported method: ${method}`),
    errorStatus: 400,
    stateOverride: undefined,
    showsPending: true,
    smallestPriorityFee: 50n,
    lowPriorityFee: new RpcFailure(
      -32000,
      'precheck failed: maxPriorityFeePerGas is 1 but must be at least 50',
    ),
    bareMarker: new RpcFailure(-32000, 'precheck failed: initCode indicates factory with no code: 0x7702'),
    staleAuthorization: new RpcFailure(-32500, 'EIP-7702 nonce mismatch. Expected: 1, Actual: 0'),
  },
  gateway: {
    methods: [],
    unknownMethod: (method) => new RpcFailure(-32004, `${method} is not whitelisted`),
    errorStatus: 200,
    stateOverride: new RpcFailure(-32602, 'too many arguments, want at most 2'),
    showsPending: false,
    smallestPriorityFee: 0n,
    lowPriorityFee: new RpcFailure(-32602, 'maxPriorityFeePerGas is too low'),
    bareMarker: undefined,
    staleAuthorization: new RpcFailure(-32602, 'eip7702Auth is invalid'),
  },
} as const satisfies Record<string, BundlerProfile>;

/** A bundler in memory that never includes an operation. */
export interface FakeBundler extends FakeRpc {
  /** Hashes of the operations that it holds. */
  readonly held: ReadonlySet<Hex>;
  /** Replaces the response of a method. */
  readonly handlers: Record<string, RpcHandler>;
  /** The transaction count of every wallet. */
  setTransactionCount(count: bigint): void;
}

interface SentOperation {
  readonly factory?: Hex;
  readonly maxPriorityFeePerGas: Hex;
  readonly eip7702Auth?: { readonly nonce: Hex };
}

const optionalMethod = /^(pimlico|rundler)_|^eth_getUserOperation/;

function refusalOf(
  profile: BundlerProfile,
  method: string,
  [operation, , override]: readonly unknown[],
): RpcFailure | undefined {
  if (optionalMethod.test(method) && !profile.methods.includes(method)) return profile.unknownMethod(method);
  if (!/^eth_(send|estimate)UserOperation/.test(method)) return undefined;
  if (override !== undefined && profile.stateOverride) return profile.stateOverride;
  const { factory, eip7702Auth, maxPriorityFeePerGas } = operation as SentOperation;
  if (factory?.startsWith('0x7702') && !eip7702Auth && profile.bareMarker) return profile.bareMarker;
  const isSend = method === 'eth_sendUserOperation';
  if (isSend && BigInt(maxPriorityFeePerGas) < profile.smallestPriorityFee) return profile.lowPriorityFee;
  return undefined;
}

/** Let a real bundler behind a proxy refuse what a bundler of the profile refuses. */
export const imitateBundler =
  (profile: BundlerProfile): RpcProxyHook =>
  ([call]) => {
    if (!call) return undefined;
    const { method, params = [] } = call;
    const refusal = refusalOf(profile, method, params);
    const respond = (status: number, body: object) =>
      Promise.resolve({ status, text: JSON.stringify({ jsonrpc: '2.0', id: 0, ...body }) });
    if (refusal)
      return respond(profile.errorStatus, { error: { code: refusal.code, message: refusal.message } });
    if (method !== 'rundler_maxPriorityFeePerGas') return undefined;
    return respond(200, { result: numberToHex(profile.smallestPriorityFee) });
  };

/** Start a bundler that behaves as its profile says. */
export async function startFakeBundler(
  profile: BundlerProfile,
  { chainId, entryPoint }: { readonly chainId: number; readonly entryPoint: Hex },
): Promise<FakeBundler> {
  const held = new Set<Hex>();
  let transactionCount = 0n;
  const requireValid = ({ eip7702Auth }: SentOperation) => {
    if (eip7702Auth && BigInt(eip7702Auth.nonce) !== transactionCount) throw profile.staleAuthorization;
  };
  const fee = '0x64';
  const handlers: Record<string, RpcHandler> = {
    eth_chainId: () => numberToHex(chainId),
    eth_supportedEntryPoints: () => [entryPoint],
    eth_estimateUserOperationGas: ([operation]) => {
      requireValid(operation as SentOperation);
      return { callGasLimit: '0x30d40', verificationGasLimit: '0x30d40', preVerificationGas: '0xc350' };
    },
    eth_sendUserOperation: ([operation]) => {
      requireValid(operation as SentOperation);
      const hash = keccak256(stringToHex(JSON.stringify(operation)));
      held.add(hash);
      return hash;
    },
    eth_getUserOperationByHash: ([hash]) =>
      profile.showsPending && held.has(hash as Hex) ? { blockNumber: null, transactionHash: null } : null,
    eth_getUserOperationReceipt: () => null,
    pimlico_getUserOperationStatus: ([hash]) => ({
      status: held.has(hash as Hex) ? 'not_submitted' : 'not_found',
      transactionHash: null,
    }),
    pimlico_getUserOperationGasPrice: () => ({
      standard: { maxFeePerGas: '0x1f4', maxPriorityFeePerGas: fee },
    }),
    rundler_maxPriorityFeePerGas: () => numberToHex(profile.smallestPriorityFee),
  };
  const server = await startFakeRpc(handlers, {
    refuse: (method, params) => refusalOf(profile, method, params),
    errorStatus: profile.errorStatus,
  });
  return Object.assign(server, {
    held,
    handlers,
    setTransactionCount: (count: bigint) => {
      transactionCount = count;
    },
  });
}
