import { entryPointV08Abi } from '@yield-vault/contracts';
import { findError, sameHex } from '@yield-vault/protocol';
import { nonceKey, readRemovedDefaults, usdcPermitAbi } from '@yield-vault/smart-account';
import { erc20Abi, erc4626Abi, getAbiItem, parseAbi, type Address, type Hex } from 'viem';
import { requireKnownModules } from '../delegation/describe-delegation.js';
import { FlowError } from '../errors.js';
import type { AddressBook, BookDeployment, BookToken } from '../verify/address-book.js';
import type { GasLimits } from '../verify/gas-limits.js';
import type { VerifiedEnvelope } from '../verify/verify-envelope.js';
import { openNode, type NodeAccess, type NodeReads } from './open-node.js';

/** The outcome of a signed intent. */
export type Outcome =
  /** It may still be included. */
  | { readonly kind: 'open' }
  /** Its nonce is used, and the node does not show by which operation. */
  | { readonly kind: 'unknown' }
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

/** Reads of the wallet and its vaults from the agent's own node. Amounts are base units. */
export type WalletNode = ReturnType<typeof createWalletNode>;

/** The agent's own node of the chain: the service is checked against it. */
export type OwnNode =
  | { readonly rpc: NodeAccess; readonly node?: undefined }
  /** Reads of your own, for a program that cannot reach a node. */
  | { readonly node: WalletNode; readonly rpc?: undefined };

/** The agent's own reads, or a client of its node. */
export function walletNodeOf({ node, rpc }: OwnNode): WalletNode {
  return node ?? createWalletNode(rpc);
}

/** Create a client of a node. Its failures are `NodeFailedError`. */
export function createWalletNode(access: NodeAccess) {
  const rpc = openNode(access);
  const readVault = (functionName: 'previewDeposit' | 'previewRedeem', amount: bigint, address: Address) =>
    rpc.readContract({ address, abi: erc4626Abi, functionName, args: [amount] });

  return {
    /** Check that the node serves the expected chain. */
    async requireChain(chain: string, chainId: number): Promise<void> {
      const served = await rpc.getChainId();
      if (served === chainId) return;
      throw new FlowError(
        'CHAIN_MISMATCH',
        `The node serves chain ${served}, and ${chain} is chain ${chainId}. Give a node of ${chain} as rpc.`,
      );
    },
    /** The next nonce of an EOA. */
    nonceOf: (address: Address) => rpc.getTransactionCount({ address }),
    /** The code of a wallet; `undefined` or `0x` without a delegation. */
    codeOf: (address: Address) => rpc.getCode({ address }),
    /** Check that a setup activates only modules of the address book. */
    requireKnownModules: (wallet: Address, addressBook: AddressBook) =>
      requireKnownModules(rpc, wallet, { addressBook }),
    /** Default modules of our account that the wallet removed. */
    removedModulesOf: (wallet: Address) => readRemovedDefaults(rpc, wallet),
    /** The wallet's ether, in wei. */
    etherOf: (address: Address) => rpc.getBalance({ address }),
    /** The nonce of the wallet's next permit. */
    permitNonceOf: (wallet: Address, usdc: Address) =>
      rpc.readContract({ address: usdc, abi: usdcPermitAbi, functionName: 'nonces', args: [wallet] }),
    /** Limits by the fees that are usual now, and the price of ether that the paymaster has. */
    readGasLimits: (deployment: BookDeployment) => readGasLimits(rpc, deployment),
    /** The next nonce sequence of a wallet's operations. */
    nonceSequenceOf: (wallet: Address, deployment: BookDeployment) =>
      readNonceSequence(rpc, wallet, deployment),
    outcomeOf: (verified: VerifiedEnvelope) => readOutcome(rpc, verified),
    /** `undefined` while a transaction is in no block. */
    receiptOf: async (hash: Hex) => {
      try {
        const { status, blockNumber } = await rpc.getTransactionReceipt({ hash });
        return { status, blockNumber };
      } catch (error) {
        if (findError(error, 'TransactionReceiptNotFoundError')) return undefined;
        throw error;
      }
    },
    sharesOf: (wallet: Address, vault: Address) =>
      rpc.readContract({ address: vault, abi: erc20Abi, functionName: 'balanceOf', args: [wallet] }),
    /** Shares that a deposit of these assets brings. */
    sharesFor: (assets: bigint, vault: Address) => readVault('previewDeposit', assets, vault),
    /** Assets that a redeem of these shares brings. */
    assetsFor: (shares: bigint, vault: Address) => readVault('previewRedeem', shares, vault),
    /** How amounts of shares are written. */
    shareTokenOf: async (address: Address, chainId: number): Promise<BookToken> => {
      const decimals = await rpc.readContract({ address, abi: erc20Abi, functionName: 'decimals' });
      return { chainId, address, symbol: 'shares', decimals };
    },
  };
}

// Without the other values of `terms`.
const gasAbi = parseAbi([
  'function terms() view returns (uint64)',
  'function fetchPrice() view returns (uint256)',
  'function getL1FeeUpperBound(uint256) view returns (uint256)',
]);
const priceReads = { own: 'terms', circle: 'fetchPrice', erc7677: undefined } as const;

// Fees may rise until inclusion. The charge is the base fee and the tip, so a lower limit of the tip bounds it.
const feeMultiple = 3n;
const tipDivisor = 2n;
const l1FeeMultiple = 2n;
// Prepare allows for a price that rises until inclusion, and the price may fall between prepare and this read.
const priceMultiple = 1.1;
// A transaction of a bundler with one operation.
const bundleBytes = 1_500n;

/** Read the fees that are usual now, and allow for more. */
async function readGasLimits(
  rpc: NodeReads,
  { paymaster: { kind, address }, l1FeeOracle }: BookDeployment,
): Promise<Partial<GasLimits>> {
  const priceRead = priceReads[kind];
  const [gasPrice, usdcPerEther, l1Fee] = await Promise.all([
    rpc.getGasPrice(),
    priceRead && rpc.readContract({ address, abi: gasAbi, functionName: priceRead }),
    l1FeeOracle &&
      rpc.readContract({
        address: l1FeeOracle,
        abi: gasAbi,
        functionName: 'getL1FeeUpperBound',
        args: [bundleBytes],
      }),
  ]);
  const maxFeePerGas = gasPrice * feeMultiple;
  return {
    maxFeePerGas,
    maxPriorityFeePerGas: maxFeePerGas / tipDivisor,
    maxL1FeeWei: l1Fee && l1Fee * l1FeeMultiple,
    // A paymaster without a price sponsors nothing.
    maxEthUsd: usdcPerEther ? (Number(usdcPerEther) / 1e6) * priceMultiple : undefined,
  };
}

/**
 * Poll a few times: a node may be a block behind.
 *
 * @returns `undefined` when every attempt was undefined
 */
export async function poll<T>(
  read: () => Promise<T | undefined>,
  { attempts = 5, pauseMs = 1_000 } = {},
): Promise<T | undefined> {
  for (let left = attempts; ;) {
    const value = await read();
    if (value !== undefined || --left === 0) return value;
    await new Promise((done) => setTimeout(done, pauseMs));
  }
}

/** Read the next nonce sequence, in the latest block by default. */
async function readNonceSequence(
  rpc: NodeReads,
  wallet: Address,
  { entryPoint, validator }: BookDeployment,
  blockNumber?: bigint,
): Promise<bigint> {
  const nonce = await rpc.readContract({
    address: entryPoint,
    abi: entryPointV08Abi,
    functionName: 'getNonce',
    args: [wallet, nonceKey(validator)],
    blockNumber,
  });
  return BigInt.asUintN(64, nonce);
}

// Public nodes search no more blocks at once.
const searchBlocks = 1_000n;
// A day on Base, three hours on Arbitrum.
const searchPages = 50;
// Longer than an intent is valid.
const searchSeconds = 3_600n;
const event = getAbiItem({ abi: entryPointV08Abi, name: 'UserOperationEvent' });

/** Read the outcome of an intent from a node alone. Events are searched only once the nonce is used. */
async function readOutcome(
  rpc: NodeReads,
  { deployment, envelope, nonceSequence, userOpHash }: VerifiedEnvelope,
): Promise<Outcome> {
  const { sender } = envelope.userOps[0]!.userOperation;
  const { number, timestamp } = await rpc.getBlock();
  const next = await readNonceSequence(rpc, sender, deployment, number);
  if (next <= nonceSequence)
    return timestamp > envelope.expiry ? { kind: 'never', why: 'EXPIRED' } : { kind: 'open' };
  const use = await findUse(rpc, envelope, deployment.entryPoint, number);
  if (!use) return { kind: 'unknown' };
  const { args, transactionHash: txHash, blockNumber } = use;
  if (!sameHex(args.userOpHash, userOpHash)) return { kind: 'never', why: 'NONCE_USED', txHash };
  return { kind: 'included', success: args.success, txHash, blockNumber, gasUsed: args.actualGasUsed };
}

/** Find the operation that used the nonce of an intent, from a block back to before the intent could be signed. */
async function findUse(
  rpc: NodeReads,
  { expiry, userOps }: VerifiedEnvelope['envelope'],
  entryPoint: Address,
  last: bigint,
) {
  const { sender, nonce } = userOps[0]!.userOperation;
  let toBlock = last;
  for (let page = 0; page < searchPages; page++) {
    const fromBlock = toBlock < searchBlocks ? 0n : toBlock - searchBlocks + 1n;
    const found = await rpc.getLogs({
      address: entryPoint,
      event,
      args: { sender },
      fromBlock,
      toBlock,
      strict: true,
    });
    const use = found.find(({ args }) => args.nonce === BigInt(nonce));
    if (use || fromBlock === 0n) return use;
    const { timestamp } = await rpc.getBlock({ blockNumber: fromBlock });
    if (timestamp + searchSeconds < BigInt(expiry)) return undefined;
    toBlock = fromBlock - 1n;
  }
  return undefined;
}
