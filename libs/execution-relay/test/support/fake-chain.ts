import {
  BundlerRejection,
  classifyOperationSend,
  UpstreamFailure,
  type SendOutcome,
} from '@yield-vault/chains';
import {
  canonical,
  chainFacts,
  entryPointV08Abi,
  localContracts,
  usdcPaymasterAbi,
  walletContracts,
} from '@yield-vault/contracts';
import {
  UpstreamUnavailableError,
  userOperationHash,
  type ExecuteRequest,
  type UserOperation,
} from '@yield-vault/protocol';
import {
  encodeAbiParameters,
  encodeEventTopics,
  keccak256,
  numberToHex,
  parseAbi,
  TransactionReceiptNotFoundError,
  type Address,
  type Hex,
  type Log,
} from 'viem';
import { testAccount } from '@yield-vault/testing';
import { readOperation } from '../../src/envelope.js';
import { hooksOf } from '../../src/policy.js';
import type { BundlerPort, ExecutionChain, ExecutionChains } from '../../src/ports.js';
import { chainId } from './build-intent.js';

const vaultEvents = parseAbi([
  'event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)',
  'event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)',
]);

const blockSeconds = 2n;

/** Transfers of a fake operation: 10 USDC for 9 shares of 18 decimals, and 0.02 USDC of gas. */
const moved = { assets: 10_000_000n, shares: 9n * 10n ** 18n, gasUsdc: 20_000n };

interface Included {
  readonly txHash: Hex;
  readonly blockNumber: bigint;
  readonly nonce: bigint;
  readonly operation: UserOperation;
  readonly logs: readonly Log[];
}

interface LogFilter {
  readonly fromBlock: bigint;
  readonly toBlock: bigint | 'latest';
  readonly args?: { readonly sender?: Address };
}

export type SendMode =
  | 'include'
  | 'hold'
  | 'include and time out'
  | 'hold and time out'
  | 'drop and time out'
  | 'refuse the connection'
  | BundlerRejection;

/**
 * A chain with a bundler in memory, which includes, reverts, holds or refuses operations, or does not respond.
 */
export function createFakeChain(relayMode: ExecutionChain['relayMode'] = 'chain', confirmations = 0) {
  const included = new Map<Hex, Included>();
  const held = new Map<Hex, UserOperation>();
  const sent: Hex[] = [];
  const operations: UserOperation[] = [];
  let wallet = { code: '0x' as Hex, nonce: 0 };
  let head = 100n;
  let forks = 0n;
  let timestamp = BigInt(Math.floor(Date.now() / 1000));
  let next = { before: 0n, after: 0n, since: 0n };
  let logsLag = false;
  let hasBlockReceipts = true;
  let hasBundlerReceipts = false;
  const foreign: { nonce: bigint; blockNumber: bigint }[] = [];
  const hashesOf = (fork: bigint) => (block: bigint) => numberToHex((fork << 64n) | block, { size: 32 });
  const useNonce = (nonce: bigint) => (next = { before: nonce, after: nonce + 1n, since: head });
  let mode: SendMode = 'include';
  let revertReason: Hex | undefined;
  let onSend: () => void = () => undefined;
  let status: string | undefined;
  let holds: 'all' | 'included' | 'unsupported' | 'down' = 'all';
  const outage = (reason: string, isUnsent = false) =>
    new UpstreamUnavailableError({
      detail: `bundler:base: ${reason}.`,
      details: { dependency: 'bundler:base' },
      cause: new UpstreamFailure('bundler:base', reason, 5, isUnsent),
    });
  const hashOf = (operation: UserOperation) =>
    userOperationHash(
      { ...operation, signature: '0x' },
      canonical.entryPointV08,
      chainId,
      walletContracts.account,
    );

  function listOperations() {
    const own = [...included].map(([userOpHash, { operation, nonce, txHash, blockNumber }]) => ({
      userOpHash,
      sender: operation.sender,
      nonce,
      txHash,
      blockNumber,
    }));
    const others = foreign.map(({ nonce, blockNumber }) => ({
      userOpHash: keccak256('0x02'),
      sender: testAccount('owner').address,
      nonce,
      txHash: '0x02' as Hex,
      blockNumber,
    }));
    return [...own, ...others];
  }

  function include(operation: UserOperation): void {
    const hash = hashOf(operation);
    if (included.has(hash)) throw new Error('the same operation was included twice');
    const txHash = keccak256(hash);
    head += 1n;
    useNonce(operation.nonce);
    held.delete(hash);
    included.set(hash, {
      txHash,
      blockNumber: head,
      nonce: operation.nonce,
      operation,
      logs: logsOf(operation, hash, txHash, head, revertReason),
    });
  }

  const chain: ExecutionChain = {
    key: 'base',
    chainId,
    relayMode,
    confirmations,
    entryPoint: canonical.entryPointV08,
    contracts: localContracts(chainId),
    paymaster: { kind: 'own' },
    usdc: chainFacts(chainId).usdc.address,
    explorerTxUrl: (hash) => `https://basescan.org/tx/${hash}`,
    rpc: {
      getCode: () => Promise.resolve(wallet.code),
      getTransactionCount: () => Promise.resolve(wallet.nonce),
      getBlock: ({ blockNumber: number = head }: { blockNumber?: bigint } = {}) =>
        Promise.resolve({ number, timestamp: timestamp - (head - number) * blockSeconds }),
      getBlockNumber: () => Promise.resolve(head),
      readContract: ({ blockNumber = head }: { blockNumber?: bigint }) =>
        Promise.resolve(blockNumber >= next.since ? next.after : next.before),
      getLogs: ({ fromBlock, toBlock, args }: LogFilter) => {
        const newest = toBlock === 'latest' ? head : toBlock;
        const inRange = listOperations()
          .filter(({ blockNumber }) => !logsLag && blockNumber >= fromBlock && blockNumber <= newest)
          .filter(({ sender }) => args?.sender === undefined || args.sender === sender);
        return Promise.resolve(
          inRange.map(({ userOpHash, sender, nonce, txHash, blockNumber }) => ({
            args: { userOpHash, sender, nonce },
            transactionHash: txHash,
            blockNumber,
          })),
        );
      },
      getTransactionReceipt: ({ hash }: { hash: Hex }) => {
        const found = [...included.values()].find(({ txHash }) => txHash === hash);
        return found
          ? Promise.resolve({ ...found, blockHash: hashesOf(forks)(found.blockNumber) })
          : Promise.reject(new TransactionReceiptNotFoundError({ hash }));
      },
      request: ({ params: [number] }: { params: [Hex] }) =>
        hasBlockReceipts
          ? Promise.resolve(
              [...included.values()].filter(({ blockNumber }) => blockNumber === BigInt(number)),
            )
          : Promise.reject(new Error('the method eth_getBlockReceipts does not exist')),
    } as unknown as ExecutionChain['rpc'],
    bundler: {
      async send(operation): Promise<SendOutcome> {
        onSend();
        const hash = hashOf(operation);
        if (mode === 'refuse the connection')
          return { outcome: 'unsent', error: outage('connection failed (ECONNREFUSED)', true) };
        sent.push(hash);
        operations.push(operation);
        await new Promise((resolve) => setTimeout(resolve, 5));
        if (mode instanceof BundlerRejection) {
          const outcome = classifyOperationSend(mode);
          return outcome === 'refused' ? { outcome, rejection: mode } : { outcome: 'unknown', cause: mode };
        }
        if (mode.startsWith('include')) include(operation);
        if (mode.startsWith('hold')) held.set(hash, operation);
        if (mode.endsWith('time out')) return { outcome: 'unknown', cause: outage('timed out') };
        return { outcome: 'accepted', userOpHash: hash };
      },
      status: () => Promise.resolve(status === undefined ? undefined : { status, transactionHash: null }),
      receipt: (hash) => {
        const found = hasBundlerReceipts && included.get(hash);
        const receipt = found ? { receipt: { transactionHash: found.txHash } } : null;
        return Promise.resolve(receipt as Awaited<ReturnType<BundlerPort['receipt']>>);
      },
      holds: (hash) => {
        if (holds === 'down') return Promise.reject(outage('timed out'));
        if (holds === 'unsupported') return Promise.resolve(holds);
        const isHeld = included.has(hash) || (holds === 'all' && held.has(hash));
        return Promise.resolve(isHeld ? 'held' : 'not-held');
      },
    },
  };
  const chains: ExecutionChains = {
    keys: ['base'],
    findById: (id) => (id === chainId ? chain : undefined),
  };
  return {
    chain,
    chains,
    /** The newest block, the hash of each, and every operation that is included. */
    readEvents: () => ({ block: head, hashOf: hashesOf(forks), operations: listOperations() }),
    /** Hashes of the operations that the bundler was sent, in order. */
    sent,
    /** The same operations as they were sent. */
    operations,
    /** Code and transaction count of every wallet. */
    setWallet: (next: typeof wallet) => (wallet = next),
    setMode: (next: SendMode) => (mode = next),
    /** Called when the bundler is asked to send, before it does. */
    setOnSend: (next: () => void) => (onSend = next),
    setRevertReason: (next: Hex | undefined) => (revertReason = next),
    setTime: (seconds: number) => (timestamp = BigInt(seconds)),
    /** Negative for a fork that is shorter. */
    mine: (blocks: bigint) => (head += blocks),
    /** Include the operations that the bundler holds. */
    includeHeld: () => [...held.values()].forEach(include),
    /** Lose the operations that the bundler holds. */
    dropHeld: () => held.clear(),
    /** Report this status of every operation; `undefined`: the bundler has no method for it. */
    setStatus: (next: string | undefined) => (status = next),
    /**
     * Which operations the bundler says it holds: with `included` it hides those that are pending, with `unsupported` it
     * has no method for the question, with `down` the question fails.
     */
    setHolds: (next: typeof holds) => (holds = next),
    /** Undo the newest blocks, as a reorganisation does; the bundler holds their operations again. */
    reorganise: () => {
      forks += 1n;
      for (const [hash, { operation }] of included) held.set(hash, operation);
      included.clear();
      foreign.length = 0;
      next = { before: 0n, after: 0n, since: 0n };
    },
    /** Undo everything, as a fork that is recreated at a later block does. */
    recreate: () => {
      included.clear();
      held.clear();
      foreign.length = 0;
      next = { before: 0n, after: 0n, since: 0n };
      head += 10n;
    },
    /** Include an operation that went another way. */
    includeDirectly: ({ intentEnvelope: { userOps } }: ExecuteRequest) => {
      if (userOps[0]) include(readOperation(userOps[0].userOperation));
    },
    /** Include another operation with this nonce. */
    useNonceElsewhere: (nonce: bigint) => {
      useNonce(nonce);
      foreign.push({ nonce, blockNumber: head });
    },
    /** Answer for logs like a node that has not seen the newest blocks. */
    setLogsLag: (lag: boolean) => (logsLag = lag),
    /** Whether the node gives the receipts of a block, and the bundler those of its operations. */
    setReceipts: (has: { readonly node: boolean; readonly bundler: boolean }) => {
      hasBlockReceipts = has.node;
      hasBundlerReceipts = has.bundler;
    },
    /** Use up this nonce without any operation, as `incrementNonce` of the entry point does. */
    incrementNonce: (nonce: bigint) => useNonce(nonce),
  };
}

function logsOf(
  operation: UserOperation,
  userOpHash: Hex,
  txHash: Hex,
  blockNumber: bigint,
  revertReason: Hex | undefined,
): readonly Log[] {
  const { sender } = operation;
  const logs: Log[] = [];
  const log = (address: Address, topics: unknown, data: Hex) =>
    logs.push({
      address,
      topics,
      data,
      blockNumber,
      transactionHash: txHash,
      logIndex: logs.length,
    } as unknown as Log);
  const uints = (...values: bigint[]) =>
    encodeAbiParameters(
      values.map(() => ({ type: 'uint256' })),
      values,
    );
  const entryPoint = { abi: entryPointV08Abi } as const;
  const vaultEvent = (target: Address, eventName: 'Deposit' | 'Withdraw', by: Address) =>
    log(
      target,
      encodeEventTopics({
        abi: vaultEvents,
        eventName,
        args: eventName === 'Deposit' ? { sender: by, owner: by } : { sender: by, receiver: by, owner: by },
      } as never),
      uints(moved.assets, moved.shares),
    );

  const stranger = '0x00000000000000000000000000000000000000ee';
  const before = {
    userOpHash: keccak256('0x01'),
    sender: stranger,
    paymaster: localContracts(chainId).paymaster,
  } as const;
  log(canonical.entryPointV08, encodeEventTopics({ ...entryPoint, eventName: 'BeforeExecution' }), '0x');
  // Another operation of the bundle, of the same sender even: none of it may be counted.
  if (!revertReason) vaultEvent(hooksOf(operation).vaultHooks[0]?.vault ?? stranger, 'Deposit', sender);
  log(
    canonical.entryPointV08,
    encodeEventTopics({ ...entryPoint, eventName: 'UserOperationEvent', args: before }),
    encodeAbiParameters(
      [{ type: 'uint256' }, { type: 'bool' }, { type: 'uint256' }, { type: 'uint256' }],
      [0n, true, 1n, 1n],
    ),
  );
  if (revertReason) {
    log(
      canonical.entryPointV08,
      encodeEventTopics({
        ...entryPoint,
        eventName: 'UserOperationRevertReason',
        args: { userOpHash, sender },
      }),
      encodeAbiParameters([{ type: 'uint256' }, { type: 'bytes' }], [operation.nonce, revertReason]),
    );
  } else {
    for (const hook of hooksOf(operation).vaultHooks) {
      vaultEvent(hook.vault, hook.hook === 'deposit' ? 'Deposit' : 'Withdraw', sender);
      vaultEvent(hook.vault, hook.hook === 'deposit' ? 'Deposit' : 'Withdraw', stranger);
    }
  }
  log(
    localContracts(chainId).paymaster,
    encodeEventTopics({
      abi: usdcPaymasterAbi,
      eventName: 'UserOperationSponsored',
      args: { userOpHash },
    }),
    uints(moved.gasUsdc, 3_000n * 10n ** 6n),
  );
  log(
    canonical.entryPointV08,
    encodeEventTopics({
      ...entryPoint,
      eventName: 'UserOperationEvent',
      args: { userOpHash, sender, paymaster: localContracts(chainId).paymaster },
    }),
    encodeAbiParameters(
      [{ type: 'uint256' }, { type: 'bool' }, { type: 'uint256' }, { type: 'uint256' }],
      [operation.nonce, !revertReason, 10n ** 12n, 210_000n],
    ),
  );
  return logs.map(
    (entry) => ({ ...entry, transactionHash: txHash, removed: false, blockHash: numberToHex(1) }) as Log,
  );
}
