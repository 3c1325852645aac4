import type { ActiveChain } from '@yield-vault/chains';
import type { RankedVault } from '@yield-vault/protocol';
import type { Address, Hex } from 'viem';
import type { EventPlace, ShareMovement } from './types.js';

/** A chain to read positions from. */
export type PositionsChain = Pick<
  ActiveChain,
  'key' | 'chainId' | 'rpc' | 'entryPoint' | 'contracts' | 'usdc'
>;

/** The vaults whose shares count as positions, listed in discover or not. */
export interface VaultsPort {
  list(chain: string): readonly RankedVault[];
}

/** A wallet on one chain. */
export interface WalletKey {
  readonly chainId: number;
  readonly wallet: Address;
}

/** A block that cannot be replaced any more. */
export interface FinalBlock {
  readonly number: bigint;
  readonly hash: Hex;
}

/** How far the past of a wallet has been read. */
export interface Scan extends WalletKey {
  /** Vaults whose events are stored, lower case. */
  readonly vaults: readonly Address[];
  /** The events of all earlier blocks are stored. */
  readonly nextBlock: bigint;
  /** The newest final block that a request saw. */
  readonly target: FinalBlock;
  /** First block in which the wallet received shares. */
  readonly firstBlock: bigint | undefined;
}

/** A movement of one vault's shares. */
export interface VaultMovement extends ShareMovement {
  /** Lower case. */
  readonly vault: Address;
}

/** A payment of the wallet to the paymaster, at the position of the paymaster's event. */
export interface GasPayment extends EventPlace {
  /** Base units of USDC. */
  readonly amount: bigint;
}

/** What a scan finds. */
export interface Findings {
  readonly movements: readonly VaultMovement[];
  readonly payments: readonly GasPayment[];
}

/** What a reader adds to a scan. */
export interface ScanProgress extends Findings, Pick<Scan, 'nextBlock' | 'target' | 'firstBlock'> {}

/** Keeps scans and what they found. One reader at a time advances a scan, in all processes. */
export interface ScanStore {
  find(key: WalletKey): Promise<Scan | undefined>;
  /** Store a new scan unless the wallet has one. */
  begin(scan: Scan): Promise<void>;
  /** Remove a scan and its findings. */
  remove(key: WalletKey): Promise<void>;
  addVaults(key: WalletKey, vaults: readonly Address[]): Promise<void>;
  /** Take the right to advance a scan; `undefined` while another reader has it. */
  claim(key: WalletKey, owner: string, leaseSeconds: number): Promise<Scan | undefined>;
  /** Store progress and give the right back; `false` when it was lost meanwhile, and nothing is stored. */
  save(key: WalletKey, owner: string, progress: ScanProgress): Promise<boolean>;
  release(key: WalletKey, owner: string): Promise<void>;
  /** List scans below their target that nobody advances, the longest waiting first. */
  unfinished(chainId: number, limit: number): Promise<Scan[]>;
  findings(key: WalletKey): Promise<Findings>;
  /** Store the assets of movements that had no price. */
  price(key: WalletKey, movements: readonly VaultMovement[]): Promise<void>;
}
