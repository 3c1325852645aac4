import { BundlerRejection } from '@yield-vault/chains';
import { canonical, entryPointV08Abi, localContracts, usdcPaymasterAbi } from '@yield-vault/contracts';
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
import { readOperation } from '../../src/envelope.js';
import { vaultHooksOf } from '../../src/policy.js';
import type { ExecutionChain, ExecutionChains } from '../../src/ports.js';
import { chainId } from './build-intent.js';

const vaultEvents = parseAbi([
  'event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)',
  'event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)',
]);

/** Transfers of a fake operation: 10 USDC for 9 shares of 18 decimals, and 0.02 USDC of gas. */
export const moved = { assets: 10_000_000n, shares: 9n * 10n ** 18n, gasUsdc: 20_000n };

interface Included {
  readonly txHash: Hex;
  readonly blockNumber: bigint;
  readonly nonce: bigint;
  readonly logs: readonly Log[];
}

export type SendMode = 'include' | 'hold' | 'include and time out' | 'drop and time out' | BundlerRejection;

/** A chain with a bundler in memory, which includes, reverts, holds or refuses operations, or does not respond. */
export function createFakeChain(relayMode: ExecutionChain['relayMode'] = 'chain') {
  const included = new Map<Hex, Included>();
  const held = new Map<Hex, UserOperation>();
  const sent: Hex[] = [];
  let head = 100n;
  let timestamp = BigInt(Math.floor(Date.now() / 1000));
  let next = { before: 0n, after: 0n, since: 0n };
  let logsLag = false;
  const foreign: { nonce: bigint; blockNumber: bigint }[] = [];
  const useNonce = (nonce: bigint) => (next = { before: nonce, after: nonce + 1n, since: head });
  let mode: SendMode = 'include';
  let revertReason: Hex | undefined;
  let onSend: () => void = () => undefined;
  const silent = () =>
    new UpstreamUnavailableError({
      detail: 'bundler:base: timed out.',
      details: { dependency: 'bundler:base' },
    });
  const hashOf = (operation: UserOperation) =>
    userOperationHash({ ...operation, signature: '0x' }, canonical.entryPointV08, chainId);

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
      logs: logsOf(operation, hash, txHash, head, revertReason),
    });
  }

  const chain: ExecutionChain = {
    key: 'base',
    chainId,
    relayMode,
    entryPoint: canonical.entryPointV08,
    contracts: localContracts,
    usdc: canonical.usdc[chainId],
    explorerTxUrl: (hash) => `https://basescan.org/tx/${hash}`,
    rpc: {
      getBlock: () => Promise.resolve({ number: head, timestamp }),
      getBlockNumber: () => Promise.resolve(head),
      readContract: ({ blockNumber }: { blockNumber: bigint }) =>
        Promise.resolve(blockNumber >= next.since ? next.after : next.before),
      getLogs: ({ fromBlock, toBlock }: { fromBlock: bigint; toBlock: bigint }) => {
        const own = [...included].map(([userOpHash, operation]) => ({ userOpHash, ...operation }));
        const others = foreign.map((other) => ({ userOpHash: keccak256('0x02'), txHash: '0x02', ...other }));
        const inRange = [...own, ...others].filter(
          ({ blockNumber }) => !logsLag && blockNumber >= fromBlock && blockNumber <= toBlock,
        );
        return Promise.resolve(
          inRange.map(({ userOpHash, nonce, txHash }) => ({
            args: { userOpHash, nonce },
            transactionHash: txHash,
          })),
        );
      },
      getTransactionReceipt: ({ hash }: { hash: Hex }) => {
        const found = [...included.values()].find(({ txHash }) => txHash === hash);
        return found
          ? Promise.resolve({ blockNumber: found.blockNumber, logs: found.logs })
          : Promise.reject(new TransactionReceiptNotFoundError({ hash }));
      },
    } as unknown as ExecutionChain['rpc'],
    bundler: {
      async send(operation) {
        onSend();
        const hash = hashOf(operation);
        sent.push(hash);
        await new Promise((resolve) => setTimeout(resolve, 5));
        if (mode instanceof BundlerRejection) throw mode;
        if (mode === 'include' || mode === 'include and time out') include(operation);
        if (mode === 'hold') held.set(hash, operation);
        if (mode.endsWith('time out')) throw silent();
        return hash;
      },
      receipt: (hash) => {
        const found = included.get(hash);
        return Promise.resolve(
          found && !logsLag ? ({ receipt: { transactionHash: found.txHash } } as never) : null,
        );
      },
      get: (hash) =>
        mode === 'drop and time out'
          ? Promise.reject(silent())
          : Promise.resolve(
              held.has(hash)
                ? { entryPoint: canonical.entryPointV08, transactionHash: null, blockNumber: null }
                : null,
            ),
    },
  };
  const chains: ExecutionChains = {
    keys: ['base'],
    findById: (id) => (id === chainId ? chain : undefined),
  };
  return {
    chain,
    chains,
    /** Hashes of the operations that the bundler was sent, in order. */
    sent,
    setMode: (next: SendMode) => (mode = next),
    /** Called when the bundler is asked to send, before it does. */
    setOnSend: (next: () => void) => (onSend = next),
    setRevertReason: (next: Hex | undefined) => (revertReason = next),
    setTime: (seconds: number) => (timestamp = BigInt(seconds)),
    mine: (blocks: bigint) => (head += blocks),
    /** Include the operations that the bundler holds. */
    includeHeld: () => [...held.values()].forEach(include),
    /** Lose the operations that the bundler holds. */
    dropHeld: () => held.clear(),
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
    /** Answer for logs, and as a bundler for receipts, like a node that has not seen the newest blocks. */
    setLogsLag: (lag: boolean) => (logsLag = lag),
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
    paymaster: localContracts.paymaster,
  } as const;
  log(canonical.entryPointV08, encodeEventTopics({ ...entryPoint, eventName: 'BeforeExecution' }), '0x');
  // Another operation of the bundle, of the same sender even: none of it may be counted.
  if (!revertReason)
    vaultEvent(
      vaultHooksOf(operation.callData, { contracts: localContracts })[0]?.vault ?? stranger,
      'Deposit',
      sender,
    );
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
    for (const hook of vaultHooksOf(operation.callData, { contracts: localContracts })) {
      vaultEvent(hook.vault, hook.hook === 'deposit' ? 'Deposit' : 'Withdraw', sender);
      vaultEvent(hook.vault, hook.hook === 'deposit' ? 'Deposit' : 'Withdraw', stranger);
    }
  }
  log(
    localContracts.paymaster,
    encodeEventTopics({
      abi: usdcPaymasterAbi,
      eventName: 'UserOperationSponsored',
      args: { userOpHash, token: canonical.usdc[chainId] },
    }),
    uints(moved.gasUsdc, 3_000n * 10n ** 6n),
  );
  log(
    canonical.entryPointV08,
    encodeEventTopics({
      ...entryPoint,
      eventName: 'UserOperationEvent',
      args: { userOpHash, sender, paymaster: localContracts.paymaster },
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
