import type { IntentSigning, PreparedIntentEnvelope, SetupTicket, SetupType } from '@yield-vault/protocol';
import type { Address, Hex } from 'viem';
import type { VerificationReason } from './verification-reason.js';

/** Who takes USDC for gas. `erc7677` is the paymaster of a service, whose data only that service can read. */
export interface BookPaymaster {
  readonly kind: 'own' | 'circle' | 'erc7677';
  readonly address: Address;
  /**
   * Most that it adds to the price of ether, in basis points. The code of our own allows no more; of all others it is
   * what they promise, and the allowance is the only limit on chain.
   */
  readonly maxMarkupBps: number;
  /** Gas that it charges on top of what the operation may use. */
  readonly extraGas: bigint;
}

/** One deployment that is trusted: contracts that belong together on one chain. */
export interface BookDeployment {
  /** Chain key, e.g. `base`. */
  readonly chain: string;
  readonly chainId: number;
  readonly entryPoint: Address;
  /** The account implementation, which a wallet delegates to. */
  readonly account: Address;
  readonly validator: Address;
  /** Its code fixes the paymaster, the token and the cap that its allowance hook uses. */
  readonly executor: Address;
  readonly paymaster: BookPaymaster;
  readonly usdc: Address;
  /** Largest allowance that the executor grants to the paymaster, in base units of USDC. */
  readonly allowanceCap: bigint;
}

/** What a symbol means on a chain. The verification itself goes by addresses and only writes amounts with it. */
export interface BookToken {
  readonly chainId: number;
  readonly address: Address;
  readonly symbol: string;
  readonly decimals: number;
}

/** All that a verification trusts. */
export interface AddressBook {
  readonly deployments: readonly BookDeployment[];
  readonly tokens: readonly BookToken[];
}

/** What the agent asked for. Amounts are base units. The minimums are the agent's own: no server can know them better. */
export type ExpectedOperation =
  | {
      readonly kind: 'deposit';
      readonly vault: Address;
      /** Asset of the vault; USDC unless given. */
      readonly asset?: Address;
      readonly amount: bigint;
      readonly minShares: bigint;
    }
  | {
      readonly kind: 'redeem';
      readonly vault: Address;
      /** Asset of the vault; USDC unless given. */
      readonly asset?: Address;
      /** `all` is the whole balance at inclusion, and what 100 % is prepared as. */
      readonly shares: bigint | 'all' | { readonly atMost: bigint };
      readonly minAssets: bigint;
    }
  | {
      readonly kind: 'rebalance';
      readonly from: Address;
      /** Vaults that may be the target; any one of them. */
      readonly to: Address | readonly Address[];
      /** Asset of both vaults; USDC unless given. */
      readonly asset?: Address;
      /** Least that `from` pays. */
      readonly minAssets: bigint;
      /** Least shares of the target. */
      readonly minShares: bigint;
    };

/** What an envelope must be for an agent to sign it. */
export interface EnvelopeExpectations {
  readonly wallet: Address;
  /** Key or id of the chain. */
  readonly chain: string | number;
  readonly operation: ExpectedOperation;
  /** Most USDC that gas may cost, in base units. */
  readonly maxGasUsdc: bigint;
  /** Price of one ether in US dollars that is never exceeded, to read gas as USDC; 10,000 unless given. */
  readonly maxEthUsd?: number;
  /** Most that a renewed allowance of the paymaster may be, in base units of USDC; the executor's cap unless given. */
  readonly maxAllowanceUsdc?: bigint;
  /** Most seconds from now until the intent expires; 900 unless given. */
  readonly maxLifetimeSeconds?: number;
  /**
   * Sequence of the nonce, as `getNonce(wallet, key)` of the entry point says without the key. With it, of several
   * intents signed one after the other only one can ever be included.
   */
  readonly nonceSequence?: bigint;
}

/** What a setup must be for an agent to sign it. */
export interface SetupExpectations {
  readonly wallet: Address;
  /** Key or id of the chain. */
  readonly chain: string | number;
  /** Either unless given. */
  readonly setupType?: SetupType;
  /**
   * The wallet's code now, from a node of your own; `undefined` or `0x` when it has none. Give it always: it is what a
   * delegation to another implementation, which the setup would replace, is seen by.
   */
  readonly walletCode?: Hex | undefined;
  /** Whether the setup may take the place of a delegation to another implementation; it may not unless given. */
  readonly replaceDelegation?: boolean;
  /**
   * Most that the gas of the transaction may cost, in wei; 0.01 ether unless given. A chain of the OP stack takes its
   * fee for publishing on L1 on top, which no signature bounds.
   */
  readonly maxFeeWei?: bigint;
  /** Most that the allowance of the paymaster may be, in base units of USDC; the executor's cap unless given. */
  readonly maxAllowanceUsdc?: bigint;
}

/** Circumstances of a verification. */
export interface VerifyOptions {
  /** What is trusted; the book that the library ships unless given. */
  readonly addressBook?: AddressBook;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** One thing that happens when the operation is included. Amounts are base units. */
export type Effect =
  | {
      /** The allowance is exact, and zero again behind the deposit that uses it. */
      readonly effect: 'approve';
      readonly token: Address;
      readonly spender: Address;
      readonly amount: bigint | 'previous';
    }
  | {
      readonly effect: 'deposit';
      readonly vault: Address;
      readonly token: Address;
      /** `previous` is what the redeem before brought. */
      readonly amount: bigint | 'previous';
      readonly minShares: bigint;
      readonly receiver: Address;
    }
  | {
      readonly effect: 'redeem';
      readonly vault: Address;
      readonly token: Address;
      readonly shares: bigint | 'all';
      readonly minAssets: bigint;
      readonly receiver: Address;
    }
  | {
      /** Set, not added to what there is; it stays. */
      readonly effect: 'approve-paymaster';
      readonly token: Address;
      readonly spender: Address;
      readonly amount: bigint;
    }
  | {
      readonly effect: 'pay-gas';
      readonly token: Address;
      readonly paymaster: Address;
      /** Most gas times most fee, what the paymaster adds included. */
      readonly maxWei: bigint;
      /** The same in base units of USDC while an ether costs `maxEthUsd`, with the highest markup. */
      readonly maxUsdc: bigint;
      readonly maxEthUsd: number;
      /** What the highest markup is known from: the paymaster's code, or the terms that the address book trusts. */
      readonly boundBy: 'code' | 'terms';
      /** Unix seconds. */
      readonly until: number;
    }
  | {
      readonly effect: 'delegate';
      readonly implementation: Address;
      /** The implementation that it takes the place of; there when the wallet's code was given. */
      readonly replaces?: Address;
    }
  | { readonly effect: 'install'; readonly module: 'validator' | 'executor'; readonly address: Address };

/** Why something is not to be signed. */
export interface Refusal {
  readonly ok: false;
  readonly reason: VerificationReason;
  /** Path of the field that is wrong. */
  readonly field: string;
  /** One sentence. */
  readonly detail: string;
}

/** An envelope of which everything has been recomputed. */
export interface VerifiedEnvelope {
  readonly ok: true;
  /** A copy that the verification made; the one to send to execute. */
  readonly envelope: PreparedIntentEnvelope;
  /** Built from what was recomputed; the one to sign. */
  readonly signing: IntentSigning;
  readonly deployment: BookDeployment;
  readonly userOpHash: Hex;
  readonly leaf: Hex;
  readonly merkleRoot: Hex;
  /** The 32 bytes that the wallet signs. */
  readonly digest: Hex;
  readonly nonceSequence: bigint;
  readonly effects: readonly Effect[];
  /** The effects in words, one line each. */
  readonly summary: readonly string[];
}

/** The transaction that a setup asks the wallet to sign, without its nonce. It sends no value. */
export interface SetupTransaction {
  readonly chainId: number;
  /** The wallet itself. */
  readonly to: Address;
  readonly data: Hex;
  readonly gasLimit: bigint;
  /** Wei. */
  readonly maxFeePerGas: bigint;
  /** Wei. */
  readonly maxPriorityFeePerGas: bigint;
  /** What the EIP-7702 authorization of a type-4 transaction names; `null`: type 2. */
  readonly authorization: { readonly contractAddress: Address; readonly chainId: number } | null;
}

/** A setup of which everything has been recomputed. */
export interface VerifiedSetup {
  readonly ok: true;
  readonly setupType: SetupType;
  /** A copy that the verification made; the one to send to setup-relay. */
  readonly setupTicket: SetupTicket;
  /** The one to sign. */
  readonly transaction: SetupTransaction;
  readonly deployment: BookDeployment;
  readonly effects: readonly Effect[];
  /** The effects in words, one line each. */
  readonly summary: readonly string[];
}

export type EnvelopeVerdict = VerifiedEnvelope | Refusal;
export type SetupVerdict = VerifiedSetup | Refusal;
