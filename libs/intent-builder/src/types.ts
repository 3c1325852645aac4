import type { ActiveChain, ActiveChains, Bundler, GasPrice } from '@yield-vault/chains';
import type {
  CallsRequest,
  CallsResponse,
  Eip7702Auth,
  GaslessSetupRequest,
  RankedVault,
  PrepareExecutionResponse,
  PrepareRequest,
  PrepareResponse,
  RebalanceSteering,
  SetupType,
  Strategy,
  Vault,
} from '@yield-vault/protocol';
import type { Address } from 'viem';
import type { IntentBuilderOptions } from './intents-schema.js';
import type { PaymasterTerms } from './paymasters/types.js';

/** The catalogue of vaults that prepare needs. */
export interface VaultCatalogue {
  /** A plain `Vault` has no measured numbers: responses leave `strategy` out, and a rebalance is not possible. */
  find(vaultId: string): Vault | RankedVault | undefined;
  /** Listed vaults of a chain and asset symbol, best first. Without it, no rebalance is possible. */
  best?(chain: string, asset: string, strategy: Strategy): readonly RankedVault[];
  /** Whether the market data of a chain is too old for deposits. */
  isStale(chain: string): boolean;
}

/** What operators stop or limit. */
export interface DepositLimitsPort {
  /**
   * @param deposit - `assets` in base units; 0 for a rebalance, whose assets are not known yet
   * @throws {DepositsPausedError | DepositCapReachedError}
   * @throws {UpstreamUnavailableError} when the value that is held is unknown
   */
  require(deposit: {
    readonly vault: Vault;
    readonly wallet: Address;
    readonly assets: bigint;
    readonly isRebalance: boolean;
  }): Promise<void>;
}

/** Dependencies of `createIntentBuilder`. */
export interface IntentBuilderDependencies {
  readonly chains: ActiveChains;
  readonly vaults: VaultCatalogue;
  /** Without them, nothing is stopped. */
  readonly limits?: DepositLimitsPort | undefined;
  readonly options: IntentBuilderOptions;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** The endpoints that build what a wallet signs. */
export interface IntentBuilder {
  /**
   * Build what a wallet signs next: its setup, or an intent.
   *
   * @param steering - where a rebalance goes; empty for any other operation
   * @throws {ServiceError} of the interface; see the README
   */
  prepare(request: PrepareRequest, steering?: RebalanceSteering): Promise<PrepareResponse>;
  /**
   * Build the first deposit of a wallet, which delegates on the way, and permits the allowance of a paymaster that needs one.
   *
   * @throws {AlreadySetUpError} when the wallet needs no setup
   * @throws {SetupTransactionRejectedError} when authorization or permit is wrong, or the setup needs ether
   * @throws {ServiceError} as `prepare` does for a deposit
   */
  gaslessSetup(request: GaslessSetupRequest): Promise<PrepareExecutionResponse>;
  /**
   * Build unsigned calls for any wallet, which pays for gas itself. The wallet may be a contract. At most two round trips.
   *
   * @throws {PreflightSimulationError} when the calls would revert
   * @throws {ServiceError} as `prepare` does for a deposit or redeem; none of them is about gas
   */
  calls(request: CallsRequest): Promise<CallsResponse>;
  /**
   * Read the fees of a chain, to estimate what its vaults cost any wallet before anything is signed. A later deposit of the
   * same wallet is 10 to 20 % cheaper.
   *
   * @throws {ChainNotActiveError}
   * @throws {UpstreamUnavailableError} when node or paymaster do not respond
   */
  estimateCosts(chain: string): Promise<(vault: Vault | RankedVault) => VaultCosts>;
}

/** Expected charges for gas in USD, where one USDC counts as one USD; 0 where the service pays. */
export interface VaultCosts {
  readonly setupGasUsd: number;
  readonly depositGasUsd: number;
  /** Of a redeem of everything. */
  readonly redeemGasUsd: number;
}

/** A checked request. Amounts are base units. */
export type CheckedRequest = {
  readonly chain: ActiveChain;
  readonly wallet: Address;
} & (
  | { readonly operation: 'deposit'; readonly vault: Vault | RankedVault; readonly assets: bigint }
  | { readonly operation: 'redeem'; readonly vault: Vault | RankedVault; readonly amount: RedeemAmount }
  /** `vault` is the source. */
  | {
      readonly operation: 'rebalance';
      readonly vault: RankedVault;
      readonly target: RankedVault;
      readonly strategy: Strategy;
    }
);

/** How much of a position to redeem: base units of shares, or percent of the balance. */
export type RedeemAmount = { readonly shares: bigint } | { readonly percentage: number };

/** The state of a wallet, and what its setup or its operation needs. */
export interface WalletReading {
  readonly fees: NodeFees;
  /** `undefined` while the paymaster does not respond. */
  readonly terms: PaymasterTerms | undefined;
  /** Assets that the redeemed shares pay. */
  readonly redeemed: Reading | undefined;
  /** The setup that the wallet needs first. */
  readonly setupType: SetupType | undefined;
  /** `undefined` where the wallet cannot be set up without ether, and for a redeem or rebalance. */
  readonly setupNonces: SetupNonces | undefined;
  /** Whether the wallet removed a default module, which outlives a delegation. */
  readonly hasRemovedModule: boolean;
  /**
   * Take the wallet as configured.
   *
   * @throws {UpstreamUnavailableError} when the bundler or the paymaster did not respond
   */
  snapshot(): WalletSnapshot;
}

/** The fees of a transaction. */
export interface NodeFees extends GasPrice {
  /** Base fee and tip of the next block, in wei. */
  readonly presentFeePerGas: bigint;
  /** L1 fee of a bundle of one operation, in wei; 0 outside the OP stack. */
  readonly l1FeeWei: bigint;
}

/** The nonces of the documents that set a wallet up without ether. */
export interface SetupNonces {
  /** The wallet's transaction count; `undefined` where it delegates already. */
  readonly authorization: number | undefined;
  /** Of the permit; the token's. `undefined` where the account pays without an allowance. */
  readonly permit: bigint | undefined;
}

/** A configured wallet and its vaults, read at once from chain and bundler. Amounts are base units. */
export interface WalletSnapshot {
  /** Base units of USDC. Our own paymaster needs none. */
  readonly paymasterAllowance: bigint;
  /** By which the operation delegates. */
  readonly authorization?: Eip7702Auth | undefined;
  readonly nonce: bigint;
  readonly usdcBalance: bigint;
  /** Read for a deposit. */
  readonly assetBalance: bigint;
  /** Read for a redeem and a rebalance. */
  readonly shareBalance: bigint;
  /** Assets that the redeemed shares pay. */
  readonly redeemed: Reading | undefined;
  readonly depositVault: DepositVaultReadings | undefined;
  /** The bundler's. */
  readonly gasPrice: GasPrice;
  /** The node's. */
  readonly fees: NodeFees;
  readonly bundler: Bundler;
  readonly paymaster: PaymasterTerms;
}

/** Views of the vault that a deposit or rebalance deposits into. Amounts are base units. */
export interface DepositVaultReadings {
  readonly asset: Reading<Address>;
  readonly assetDecimals: Reading<number>;
  readonly shareDecimals: Reading<number>;
  readonly totalShares: Reading;
  /** Shares that the deposit brings. */
  readonly deposited: Reading;
  /** Assets that these shares would pay at once. */
  readonly returned: Reading;
  /** Assets that the probed shares are worth. */
  readonly price: Reading;
}

/** The result of a contract's view, or why it failed. */
export type Reading<T = bigint> = { readonly value: T } | { readonly revertReason: string };
