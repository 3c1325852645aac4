import { setTimeout as pause } from 'node:timers/promises';
import type { DevnetChain } from '@yield-vault/devnet';
import { userOperationHash } from '@yield-vault/protocol';
import { bundlerProfiles, startFakeBundler } from '@yield-vault/testing';
import { createChainClient, request } from '@yield-vault/testing/local';
import { encodeFunctionData, numberToHex, type Address, type Hex } from 'viem';
import {
  entryPoint08Abi,
  formatUserOperation,
  toPackedUserOperation,
  type RpcUserOperation,
} from 'viem/account-abstraction';
import type { Defer } from './harness.js';

const blockMs = 2_000;
// Together below the gas limit of a transaction.
const mostOperations = 40;
/** Every Anvil funds it. */
const sender: Address = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';

/** Times of an operation, of `performance.now()`. */
export interface Seen {
  readonly sentAt: number;
  includedAt: number;
}

/** Start a bundler that also makes the blocks of its chain: every two seconds one, with the operations that it received. */
export async function startBundlerDouble({ rpcUrl, chainId, entryPoint }: DevnetChain, defer: Defer) {
  const node = createChainClient(rpcUrl);
  const bundler = await startFakeBundler(bundlerProfiles.alto, { chainId, entryPoint });
  const seen = new Map<Hex, Seen>();
  const held: { readonly hash: Hex; readonly operation: ReturnType<typeof formatUserOperation> }[] = [];
  let holds = false;
  let stopped = false;
  bundler.handlers['eth_sendUserOperation'] = ([wire]) => {
    const operation = formatUserOperation(wire as RpcUserOperation);
    const hash = userOperationHash(operation, entryPoint, chainId);
    seen.set(hash, { sentAt: performance.now(), includedAt: NaN });
    held.push({ hash, operation });
    return hash;
  };
  bundler.handlers['pimlico_getUserOperationStatus'] = ([hash]) => ({
    status: seen.has(hash as Hex) ? 'submitted' : 'not_found',
    transactionHash: null,
  });

  const mine = async () => {
    const bundle = holds ? [] : held.splice(0, mostOperations);
    if (bundle.length === 0) return void (await node.mine({ blocks: 1 }));
    const args = [bundle.map(({ operation }) => toPackedUserOperation(operation)), sender] as const;
    const data = encodeFunctionData({ abi: entryPoint08Abi, functionName: 'handleOps', args });
    const transaction = { from: sender, to: entryPoint, data, gas: numberToHex(16_000_000) };
    const receipt = await request<{ status: Hex }>(node, 'eth_sendTransactionSync', [transaction]);
    if (receipt.status !== '0x1') throw new Error('A bundle reverted');
    for (const { hash } of bundle) seen.get(hash)!.includedAt = performance.now();
    if (held.length > 0) await mine();
  };
  const run = async () => {
    while (!stopped) await Promise.all([pause(blockMs), mine()]);
  };
  const running = run();
  defer(async () => {
    stopped = true;
    await running;
    await bundler.stop();
  });
  return {
    url: bundler.rpcUrl,
    seen: seen as ReadonlyMap<Hex, Readonly<Seen>>,
    /** Make empty blocks from now on. */
    hold: () => {
      holds = true;
    },
  };
}
