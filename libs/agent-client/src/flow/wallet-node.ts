import { entryPointV08Abi } from '@yield-vault/contracts';
import { findError, sameHex } from '@yield-vault/protocol';
import { nonceKey, readRemovedDefaults, usdcPermitAbi, type ModuleType } from '@yield-vault/smart-account';
import { erc20Abi, erc4626Abi, getAbiItem, type Address, type Hex, type TransactionReceipt } from 'viem';
import { requireKnownModules } from '../delegation/describe-delegation.js';
import { FlowError, fromNode } from '../errors.js';
import type { AddressBook, BookDeployment, BookToken } from '../verify/address-book.js';
import type { VerifiedEnvelope } from '../verify/verify-envelope.js';
import { openNode, type NodeReads } from './open-node.js';

/** The final outcome of a signed intent. */
export type Outcome =
  | {
      readonly kind: 'included';
      readonly success: boolean;
      readonly txHash: Hex;
      readonly blockNumber: bigint;
      readonly gasUsed: bigint;
    }
  /** It can never be included: the operation in `txHash` used its nonce. */
  | { readonly kind: 'never'; readonly why: 'NONCE_USED'; readonly txHash: Hex }
  | { readonly kind: 'never'; readonly why: 'EXPIRED'; readonly txHash?: undefined };

/** Reads from the agent's own node. Amounts are base units. */
export interface WalletNode {
  /** Check that the node serves the expected chain. */
  requireChain(chain: string, chainId: number): Promise<void>;
  /** The next nonce of an EOA. */
  nonceOf(wallet: Address): Promise<number>;
  /** The code of a wallet; `undefined` or `0x` without a delegation. */
  codeOf(wallet: Address): Promise<Hex | undefined>;
  /** Check that a setup activates only modules of the address book. */
  requireKnownModules(wallet: Address, addressBook: AddressBook): Promise<void>;
  /** Default modules of our account that the wallet removed. */
  removedModulesOf(wallet: Address): Promise<readonly ModuleType[]>;
  /** The wallet's ether, in wei. */
  etherOf(wallet: Address): Promise<bigint>;
  /** The nonce of the wallet's next permit. */
  permitNonceOf(wallet: Address, usdc: Address): Promise<bigint>;
  /** The next nonce sequence of a wallet's operations. */
  nonceSequenceOf(wallet: Address, deployment: BookDeployment): Promise<bigint>;
  /** `undefined` while the intent may still be included. */
  outcomeOf(verified: VerifiedEnvelope): Promise<Outcome | undefined>;
  /** `undefined` while a transaction is in no block. */
  receiptOf(txHash: Hex): Promise<Pick<TransactionReceipt, 'status' | 'blockNumber'> | undefined>;
  sharesOf(wallet: Address, vault: Address): Promise<bigint>;
  sharesFor(assets: bigint, vault: Address): Promise<bigint>;
  assetsFor(shares: bigint, vault: Address): Promise<bigint>;
  /** How amounts of shares are written. */
  shareTokenOf(vault: Address, chainId: number): Promise<BookToken>;
}

/** Create a client of a node. Its failures are `NodeFailedError`. */
export function createWalletNode(rpcUrl: string): WalletNode {
  const rpc = openNode(rpcUrl);
  const vaultAt = (address: Address) => ({ address, abi: erc4626Abi }) as const;

  return {
    async requireChain(chain, chainId) {
      const served = await fromNode(() => rpc.getChainId());
      if (served === chainId) return;
      throw new FlowError(
        'CHAIN_MISMATCH',
        `The node serves chain ${served}, and ${chain} is chain ${chainId}. Give the rpcUrl of a node of ${chain}.`,
      );
    },
    nonceOf: (address) => fromNode(() => rpc.getTransactionCount({ address })),
    codeOf: (address) => fromNode(() => rpc.getCode({ address })),
    requireKnownModules: (wallet, addressBook) => requireKnownModules(rpc, wallet, { addressBook }),
    removedModulesOf: (wallet) => fromNode(() => readRemovedDefaults(rpc, wallet)),
    etherOf: (address) => fromNode(() => rpc.getBalance({ address })),
    permitNonceOf: (wallet, usdc) =>
      fromNode(() =>
        rpc.readContract({ address: usdc, abi: usdcPermitAbi, functionName: 'nonces', args: [wallet] }),
      ),
    nonceSequenceOf: (wallet, deployment) => fromNode(() => readNonceSequence(rpc, wallet, deployment)),
    outcomeOf: (verified) => fromNode(() => readOutcome(rpc, verified)),
    receiptOf: (hash) =>
      fromNode(async () => {
        try {
          return await rpc.getTransactionReceipt({ hash });
        } catch (error) {
          if (findError(error, 'TransactionReceiptNotFoundError')) return undefined;
          throw error;
        }
      }),
    sharesOf: (wallet, vault) =>
      fromNode(() => rpc.readContract({ ...vaultAt(vault), functionName: 'balanceOf', args: [wallet] })),
    sharesFor: (assets, vault) =>
      fromNode(() => rpc.readContract({ ...vaultAt(vault), functionName: 'previewDeposit', args: [assets] })),
    assetsFor: (shares, vault) =>
      fromNode(() => rpc.readContract({ ...vaultAt(vault), functionName: 'previewRedeem', args: [shares] })),
    shareTokenOf: (vault, chainId) =>
      fromNode(async () => {
        const decimals = await rpc.readContract({ address: vault, abi: erc20Abi, functionName: 'decimals' });
        return { chainId, address: vault, symbol: 'shares', decimals };
      }),
  };
}

const pollAttempts = 5;
const pollPauseMs = 1_000;

/**
 * Poll a few times, a second apart: a node may be a block behind.
 *
 * @returns `undefined` when every attempt was undefined
 */
export async function poll<T>(read: () => Promise<T | undefined>): Promise<T | undefined> {
  for (let left = pollAttempts; ;) {
    const value = await read();
    if (value !== undefined || --left === 0) return value;
    await new Promise((done) => setTimeout(done, pollPauseMs));
  }
}

/** Read the next nonce sequence, in the latest block by default. */
async function readNonceSequence(
  rpc: Pick<NodeReads, 'readContract'>,
  wallet: Address,
  { entryPoint, validator }: BookDeployment,
  blockNumber?: bigint,
): Promise<bigint> {
  const nonce = await rpc.readContract({
    address: entryPoint,
    abi: entryPointV08Abi,
    functionName: 'getNonce',
    args: [wallet, nonceKey(validator)],
    ...(blockNumber !== undefined && { blockNumber }),
  });
  return BigInt.asUintN(64, nonce);
}

// Half an hour on Base, far longer than an intent is valid. Public nodes search no more at once.
const searchBlocks = 1_000n;
const event = getAbiItem({ abi: entryPointV08Abi, name: 'UserOperationEvent' });

/** Read the outcome of an intent from a node alone. Events are searched only once the nonce is used. */
async function readOutcome(
  rpc: Pick<NodeReads, 'getBlock' | 'getLogs' | 'readContract'>,
  { deployment, envelope, nonceSequence, userOpHash }: VerifiedEnvelope,
): Promise<Outcome | undefined> {
  const { sender: wallet, nonce } = envelope.userOps[0]!.userOperation;
  const { number, timestamp } = await rpc.getBlock();
  const next = await readNonceSequence(rpc, wallet, deployment, number);
  if (next <= nonceSequence)
    return timestamp > envelope.expiry ? { kind: 'never', why: 'EXPIRED' } : undefined;
  const events = await rpc.getLogs({
    address: deployment.entryPoint,
    event,
    args: { sender: wallet },
    fromBlock: number < searchBlocks ? 0n : number - searchBlocks + 1n,
    toBlock: number,
    strict: true,
  });
  const use = events.find(({ args }) => args.nonce === BigInt(nonce));
  if (!use) return undefined;
  const { args, transactionHash: txHash } = use;
  if (!sameHex(args.userOpHash, userOpHash)) return { kind: 'never', why: 'NONCE_USED', txHash };
  return {
    kind: 'included',
    success: args.success,
    txHash,
    blockNumber: use.blockNumber,
    gasUsed: args.actualGasUsed,
  };
}
