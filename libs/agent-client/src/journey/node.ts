import {
  createPublicClient,
  erc20Abi,
  erc4626Abi,
  http,
  TransactionReceiptNotFoundError,
  type Address,
  type Hex,
  type TransactionReceipt,
} from 'viem';
import { requireKnownModules } from '../eoa/require-known-modules.js';
import { askingNode } from '../eoa/steps/asking-node.js';
import { JourneyError } from '../errors.js';
import type { AddressBook, BookDeployment, BookToken, VerifiedEnvelope } from '../verify/types.js';
import { readFate, type Fate } from './read-fate.js';
import { readNonceSequence } from './read-nonce-sequence.js';

/** What a wallet's own node is asked. Amounts are base units. */
export interface Node {
  /** Check that it serves the chain that is asked for. */
  requireChain(chain: string, chainId: number): Promise<void>;
  /** The next nonce of an EOA. */
  nonceOf(wallet: Address): Promise<number>;
  /** The code of a wallet; `undefined` or `0x` when it is delegated to nothing. */
  codeOf(wallet: Address): Promise<Hex | undefined>;
  /** Check that no module would come with a setup but those of the address book. */
  requireKnownModules(wallet: Address, addressBook: AddressBook): Promise<void>;
  /** The next sequence of the operations of a wallet. */
  nonceSequenceOf(wallet: Address, deployment: BookDeployment): Promise<bigint>;
  /** What became of a signed intent; `undefined` while that is open. */
  fateOf(verified: VerifiedEnvelope): Promise<Fate | undefined>;
  /** `undefined` while a transaction is in no block. */
  receiptOf(txHash: Hex): Promise<Pick<TransactionReceipt, 'status' | 'blockNumber'> | undefined>;
  sharesOf(wallet: Address, vault: Address): Promise<bigint>;
  sharesFor(assets: bigint, vault: Address): Promise<bigint>;
  assetsFor(shares: bigint, vault: Address): Promise<bigint>;
  /** How shares are written. */
  shareTokenOf(vault: Address, chainId: number): Promise<BookToken>;
}

/** Make a client of a node; what it cannot answer is a `NodeFailedError`. */
export function createNode(rpcUrl: string): Node {
  const rpc = createPublicClient({ transport: http(rpcUrl, { batch: true }), cacheTime: 0 });
  const vaultAt = (address: Address) => ({ address, abi: erc4626Abi }) as const;

  return {
    async requireChain(chain, chainId) {
      const served = await askingNode(() => rpc.getChainId());
      if (served === chainId) return;
      throw new JourneyError(
        'CHAIN_MISMATCH',
        `The node serves chain ${served}, and ${chain} is chain ${chainId}: give the rpcUrl of a node of ${chain}.`,
      );
    },
    nonceOf: (address) => askingNode(() => rpc.getTransactionCount({ address })),
    codeOf: (address) => askingNode(() => rpc.getCode({ address })),
    requireKnownModules: (wallet, addressBook) => requireKnownModules(rpc, wallet, { addressBook }),
    nonceSequenceOf: (wallet, deployment) => askingNode(() => readNonceSequence(rpc, wallet, deployment)),
    fateOf: (verified) => askingNode(() => readFate(rpc, verified)),
    receiptOf: (hash) =>
      askingNode(async () => {
        try {
          return await rpc.getTransactionReceipt({ hash });
        } catch (error) {
          if (error instanceof TransactionReceiptNotFoundError) return undefined;
          throw error;
        }
      }),
    sharesOf: (wallet, vault) =>
      askingNode(() => rpc.readContract({ ...vaultAt(vault), functionName: 'balanceOf', args: [wallet] })),
    sharesFor: (assets, vault) =>
      askingNode(() =>
        rpc.readContract({ ...vaultAt(vault), functionName: 'previewDeposit', args: [assets] }),
      ),
    assetsFor: (shares, vault) =>
      askingNode(() =>
        rpc.readContract({ ...vaultAt(vault), functionName: 'previewRedeem', args: [shares] }),
      ),
    shareTokenOf: (vault, chainId) =>
      askingNode(async () => {
        const decimals = await rpc.readContract({ address: vault, abi: erc20Abi, functionName: 'decimals' });
        return { chainId, address: vault, symbol: 'shares', decimals };
      }),
  };
}
