// Generated from docs/openapi.json by scripts/generate-openapi.mjs. Do not edit.

export interface paths {
  readonly '/.well-known/x402': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Prices
     * @description Served where payments are enforced.
     */
    readonly get: operations['readPrices'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/health': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Liveness
     * @description Answers at once, whatever is down, with what the background probe last found.
     */
    readonly get: operations['readHealth'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/health/ready': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Readiness
     * @description 200 once the database is up and every active chain is ranked, and once what wallets act on, the chain or its managed fork, and its bundler answer. On a chain itself, its contracts have to be deployed as well.
     */
    readonly get: operations['readReadiness'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/metrics': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Metrics
     * @description Prometheus text.
     */
    readonly get: operations['readMetrics'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/testing/fork-status': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * State of the test forks
     * @description The persistent fork of each chain, every active fork, and how well they do. Creates none, and answers while no fork can be made.
     */
    readonly get: operations['forkStatus'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/testing/fund-wallet': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Mint test balances
     * @description Adds ETH and USDC to a wallet on the persistent fork of a chain, which is created on first use. No real tokens move. The caps hold for one call; repeated calls are allowed.
     */
    readonly post: operations['fundWallet'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/yield/discover': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Rank the vaults of a chain
     * @description Answers from memory. An empty list is an answer, not an error.
     */
    readonly post: operations['discover'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/yield/execute': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Relay a signed intent
     * @description Checks the envelope and its signature, simulates it where preflight is enforced, submits the user operation once and waits for its receipt. The same intent again answers already_executed with the same hashes.
     */
    readonly post: operations['execute'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/yield/history': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * APY and TVL of a vault over time
     * @description The last real snapshot of each UTC bucket; nothing is interpolated.
     */
    readonly get: operations['history'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/yield/prepare': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Build a setup or an execution payload
     * @description A wallet that is not set up gets the setup transaction to sign; one that is gets the intent to sign. Nothing is submitted.
     */
    readonly post: operations['prepare'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/yield/setup-relay': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Relay a signed setup transaction
     * @description Checks ticket and transaction, broadcasts, waits for the confirmations and verifies delegation and modules. The same transaction again answers as the first time.
     */
    readonly post: operations['relay'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/yield/status': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Positions of a wallet
     * @description Every active position on every active chain, with its cost, value and yield.
     */
    readonly get: operations['status'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/yield/vaults': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * The catalogue, page by page
     * @description Every vault that is watched, also those that discover does not name, with the reasons why not.
     */
    readonly get: operations['listVaults'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/yield/vaults/{vaultId}': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * What the numbers of a vault were computed from
     * @description Every input, factor, weight and floor behind APY, risk and composite score, the age of the data, and whether a simulated deposit came out again. With docs/metrics.md each score can be recomputed by hand.
     */
    readonly get: operations['explainVault'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    /** @description Forks of one chain. */
    readonly ActiveForks: {
      /**
       * @description Chain id.
       * @example 8453
       */
      readonly chainId: number;
      /**
       * @description How many.
       * @example 1
       */
      readonly count: number;
      /** @description Each of them. */
      readonly forks: readonly components['schemas']['ForkRecord'][];
    };
    /** @description APY in percent: 10 means 10 %. */
    readonly Apy: {
      /**
       * @description Over the last month.
       * @example 4.5925
       */
      readonly month: number;
      /**
       * @description Over the last day.
       * @example 4.6486
       */
      readonly now: number;
      /**
       * @description Over the last week.
       * @example 4.6083
       */
      readonly week: number;
    };
    /** @description How one APY came about. */
    readonly ApyExplanation: {
      /** @description Where the window begins. */
      readonly from: components['schemas']['PriceSample'] | null;
      /**
       * @description full: over the whole window; gap: from the first sample after a gap; partial: from the first sample.
       * @example full
       */
      readonly quality: ('full' | 'gap' | 'partial') | null;
      /**
       * @description The window whose value is served: this one, or one that stands in for it.
       * @example now
       */
      readonly servedBy: ('now' | 'week' | 'month') | null;
      /** @description Where it ends. */
      readonly to: components['schemas']['PriceSample'] | null;
      /**
       * @description Percent of this window; null when it has too little history.
       * @example 4.648646981425575
       */
      readonly value: number | null;
    };
    /** @description How the three APYs came about. */
    readonly ApyExplanations: {
      /** @description Over the last month. */
      readonly month: components['schemas']['ApyExplanation'];
      /** @description Over the last day. */
      readonly now: components['schemas']['ApyExplanation'];
      /** @description Over the last week. */
      readonly week: components['schemas']['ApyExplanation'];
    };
    /** @description The underlying token of a vault. */
    readonly Asset: {
      /**
       * @description Address of the token contract.
       * @example 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913
       */
      readonly address: `0x${string}`;
      /**
       * @description Decimals of its base units.
       * @example 6
       */
      readonly decimals: number;
      /**
       * @description Symbol.
       * @example USDC
       */
      readonly symbol: string;
    };
    /** @description State of one chain. */
    readonly ChainHealth: {
      /**
       * @description Newest block seen.
       * @example 12345678
       */
      readonly blockNumber: number | null;
      /**
       * @description The bundler; off where none is configured.
       * @example ok
       * @enum {string}
       */
      readonly bundler: 'ok' | 'down' | 'off';
      /**
       * @description Chain id.
       * @example 8453
       */
      readonly chainId: number;
      /**
       * @description The RPC.
       * @example ok
       * @enum {string}
       */
      readonly rpc: 'ok' | 'down';
    };
    /** @description How a composite score came about. */
    readonly CompositeExplanation: {
      /** @description The parts, 0 to 100 each. */
      readonly features: components['schemas']['CompositeParts'];
      /**
       * @description 1, 0.9 or 0.75 by the length of the history.
       * @example 1
       */
      readonly quality: number;
      /**
       * @description Sum of weight × part, times quality.
       * @example 70.99965388184387
       */
      readonly score: number;
      /** @description Their weights, which add up to 1. */
      readonly weights: components['schemas']['CompositeParts'];
    };
    /** @description How the composite scores came about, by strategy. */
    readonly CompositeExplanations: {
      /** @description Of balanced. */
      readonly balanced: components['schemas']['CompositeExplanation'];
      /** @description Of maximize_apy. */
      readonly maximize_apy: components['schemas']['CompositeExplanation'];
      /** @description Of minimize_risk. */
      readonly minimize_risk: components['schemas']['CompositeExplanation'];
    };
    /** @description One number for each part of the composite score. */
    readonly CompositeParts: {
      /**
       * @description Of the risk score.
       * @example 0.3
       */
      readonly safety: number;
      /**
       * @description Of the Sharpe ratios.
       * @example 0.15
       */
      readonly sharpe: number;
      /**
       * @description Of how alike the APYs are.
       * @example 0.1
       */
      readonly stability: number;
      /**
       * @description Of the TVL.
       * @example 0.1
       */
      readonly tvl: number;
      /**
       * @description Of the APYs.
       * @example 0.35
       */
      readonly yield: number;
    };
    /** @description Ranking score from 0 to 100 by strategy. */
    readonly CompositeScores: {
      /**
       * @description Of balanced.
       * @example 71
       */
      readonly balanced: number;
      /**
       * @description Of maximize_apy.
       * @example 59.59
       */
      readonly maximize_apy: number;
      /**
       * @description Of minimize_risk.
       * @example 85.71
       */
      readonly minimize_risk: number;
    };
    /** @description What to look for. Every property is optional. */
    readonly DiscoverRequest: {
      /**
       * @description Symbol of the underlying asset, in any case. Left out: all assets.
       * @example USDC
       */
      readonly asset?: string;
      /**
       * @description Key of an active chain.
       * @default base
       * @example base
       */
      readonly chain?: string;
      /**
       * @description How many vaults at most.
       * @default 5
       * @example 5
       */
      readonly limit?: number;
      /**
       * @description Lowest current APY to list, in percent (10 means 10 %).
       * @example 1
       */
      readonly minApy?: number;
      /**
       * @description Highest risk level to list. Left out: every level.
       * @example medium
       * @enum {string}
       */
      readonly riskTolerance?: 'low' | 'medium' | 'high';
      /**
       * @description Fixed ranking preset.
       * @default balanced
       * @example balanced
       * @enum {string}
       */
      readonly strategy?: 'maximize_apy' | 'minimize_risk' | 'balanced';
    };
    /** @description The best vaults for the request, best first. */
    readonly DiscoverResponse: {
      /**
       * @description Chain key.
       * @example base
       */
      readonly chain: string;
      /**
       * @description Chain id.
       * @example 8453
       */
      readonly chainId: number;
      /**
       * @description Length of the list; 0 when no vault fits.
       * @example 1
       */
      readonly count: number;
      /**
       * @description Preset that ordered the list.
       * @example balanced
       * @enum {string}
       */
      readonly strategy: 'maximize_apy' | 'minimize_risk' | 'balanced';
      /** @description Ordered by compositeScore, highest first. */
      readonly vaults: readonly components['schemas']['VaultCandidate'][];
    };
    /** @description A user operation and what belongs to it. Further properties are ignored. */
    readonly EnvelopeUserOperation: {
      /** @description Any shape; only null is supported. */
      readonly eip7702Auth?: unknown;
      /** @description The user operation. */
      readonly userOperation: components['schemas']['UserOperation'];
      /**
       * @description Signature to use instead of intentSignature; 0x counts as not given.
       * @example 0x
       */
      readonly validatorSig?: `0x${string}`;
    };
    /** @description What went wrong, in the same form on every route. */
    readonly Error: {
      /**
       * @description Stable code.
       * @example INVALID_PARAMETERS
       * @enum {string}
       */
      readonly code:
        | 'INVALID_PARAMETERS'
        | 'CHAIN_NOT_ACTIVE'
        | 'UNKNOWN_VAULT'
        | 'ASSET_MISMATCH'
        | 'VAULT_AT_CAPACITY'
        | 'INSUFFICIENT_BALANCE'
        | 'NO_SUITABLE_VAULTS'
        | 'PAYMENT_REQUIRED'
        | 'SETUP_TICKET_REJECTED'
        | 'SETUP_TRANSACTION_REJECTED'
        | 'SETUP_TRANSACTION_REVERTED'
        | 'TRANSACTION_VALIDATION_FAILED'
        | 'PREFLIGHT_SIMULATION_FAILED'
        | 'TRANSACTION_SUBMISSION_FAILED'
        | 'TESTING_CAP_EXCEEDED'
        | 'WALLET_NOT_ALLOWED'
        | 'FORKS_NOT_CONFIGURED'
        | 'FORK_NOT_RUNNING'
        | 'UPSTREAM_UNAVAILABLE'
        | 'TRANSACTION_PENDING'
        | 'PAYMENT_IN_USE'
        | 'BODY_TOO_LARGE'
        | 'UNSUPPORTED_MEDIA_TYPE'
        | 'INTENT_CANCELLED'
        | 'DATA_STALE'
        | 'FORK_CAPACITY'
        | 'FUNDING_FAILED'
        | 'NOT_FOUND'
        | 'RATE_LIMIT_EXCEEDED'
        | 'INTERNAL';
      /**
       * @description What was wrong with this call.
       * @example limit must be at most 20.
       */
      readonly detail: string;
      /**
       * @description Particulars, such as violations, supportedChains, aaCode or revertReason.
       * @example {
       *       "violations": [
       *         {
       *           "field": "limit",
       *           "message": "must be at most 20"
       *         }
       *       ]
       *     }
       */
      readonly details: {
        readonly [key: string]: unknown;
      };
      /**
       * @description The documented sentence of the error.
       * @example Invalid request parameters
       */
      readonly error: string;
      /**
       * @description What to do next.
       * @example Correct the fields listed in details.violations.
       */
      readonly nextAction: string;
      /**
       * @description X-Request-Id of the answer.
       * @example 6f9d6a52-3d0a-4a2e-8f0c-1f1f0c1b7e11
       */
      readonly requestId: string;
      /**
       * @description The same call may succeed later.
       * @example false
       */
      readonly retryable: boolean;
      /**
       * @description HTTP status.
       * @example 400
       */
      readonly statusCode: number;
    };
    /** @description A signed intent. */
    readonly ExecuteRequest: {
      /** @description The envelope exactly as prepare returned it. */
      readonly intentEnvelope: components['schemas']['IntentEnvelope'];
      /** @description When given, must equal intentEnvelope.merkleRoot. */
      readonly intentId?: string;
      /**
       * @description EIP-712 signature over intentEnvelope.signing by the wallet's key.
       * @example 0x0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
       */
      readonly intentSignature: `0x${string}`;
    };
    /** @description The intent is on chain. */
    readonly ExecuteResponse: {
      /**
       * @description Chain key.
       * @example base
       */
      readonly chain: string;
      /**
       * @description Chain id.
       * @example 8453
       */
      readonly chainId: number;
      /**
       * @description Execution scheme.
       * @example erc4337-validator-intent-v1
       * @enum {string}
       */
      readonly executionModel: 'erc4337-validator-intent-v1';
      /**
       * @description The transaction on the block explorer of the chain. Where wallets act on test forks, it is on the fork alone, and the explorer does not know it.
       * @example https://basescan.org/tx/0x…
       */
      readonly explorerUrl: string;
      /** @description What changed; with rebalance the vault moved to. */
      readonly positionUpdate: components['schemas']['PositionUpdate'];
      /** @description Receipt of the user operation. */
      readonly receipt: components['schemas']['Receipt'];
      /**
       * @description already_executed: the intent succeeded before; the hashes are those of then.
       * @example executed
       * @enum {string}
       */
      readonly result: 'executed' | 'already_executed';
      /** @description Rebalance only: the vault that was left. */
      readonly sourcePositionUpdate?: components['schemas']['PositionUpdate'];
      /**
       * @description Hash of the transaction.
       * @example 0x5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c
       */
      readonly txHash: `0x${string}`;
      /**
       * @description Hash of the user operation.
       * @example 0x5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c
       */
      readonly userOpHash: `0x${string}`;
    };
    /** @description The payload to sign and execute. */
    readonly Execution: {
      /**
       * @description callData of the operation.
       * @example 0x
       */
      readonly calldata: `0x${string}`;
      /**
       * @description Sum of the gas limits of the operation.
       * @example 650000
       */
      readonly estimatedGas: string;
      /** @description What the gas will cost. */
      readonly gasQuote: components['schemas']['GasQuote'];
      /** @description The envelope to sign and submit. */
      readonly intentEnvelope: components['schemas']['PreparedIntentEnvelope'];
      /** @description Least result that the chain enforces. */
      readonly slippage: components['schemas']['Slippage'];
      /**
       * @description What signing this does, in plain words.
       * @example Deposit 25 USDC into …
       */
      readonly summary: string;
      /**
       * @description The entry point.
       * @example 0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108
       */
      readonly to: `0x${string}`;
    };
    /** @description Every input, factor, weight and floor behind the numbers. */
    readonly Explanation: {
      /** @description The APYs. */
      readonly apy: components['schemas']['ApyExplanations'];
      /**
       * @description Percent that the largest vaults of the same chain and kind of asset pay; null without any.
       * @example 5.530375833597645
       */
      readonly benchmarkApy: number | null;
      /** @description The composite scores. */
      readonly composite: components['schemas']['CompositeExplanations'];
      /** @description Rises that were flattened for APY and Sharpe ratio. */
      readonly jumps: readonly components['schemas']['Jump'][];
      /**
       * @description Largest loss within 90 days, percent; null when the history is too short.
       * @example 0
       */
      readonly maxDrawdown90d: number | null;
      /** @description The risk score. */
      readonly risk: components['schemas']['RiskExplanation'];
      /** @description The Sharpe ratios. */
      readonly sharpe: components['schemas']['SharpeExplanation'];
      /**
       * @description Samples that were errors of the data and repaired.
       * @example 0
       */
      readonly spikesRepaired: number;
      /**
       * @description 0 to 100: the smallest of the three APYs by the largest.
       * @example 98.79112607902903
       */
      readonly stability: number;
      /** @description The TVL. */
      readonly tvl: components['schemas']['TvlExplanation'];
      /**
       * @description Volatility a year, percent; null when the history is too short.
       * @example 0.007774435099488727
       */
      readonly volatility: number | null;
    };
    /** @description State of what makes the forks. */
    readonly ForkHealth: {
      /**
       * @description Forks of both kinds.
       * @example 2
       */
      readonly activeForks: number;
      /**
       * @description Forks that there may be at once; null without a limit.
       * @example 32
       */
      readonly maxForks: number | null;
      /**
       * @description healthy, degraded or unavailable.
       * @example healthy
       */
      readonly status: string;
      /**
       * @description Version of what makes the forks; empty when it does not answer.
       * @example fork-service/v0.1.0
       */
      readonly version: string;
    };
    /** @description A fork. */
    readonly ForkRecord: {
      /**
       * Format: date-time
       * @description When it was created.
       * @example 2026-01-01T12:00:00.000Z
       */
      readonly createdAt: string;
      /**
       * @description Id of the fork.
       * @example base-5c0d1f2e3a4b
       */
      readonly id: string;
      /**
       * @description One per chain that is kept, or one per simulation.
       * @example persistent
       * @enum {string}
       */
      readonly kind: 'persistent' | 'ephemeral';
      /**
       * @description starting, running, stopped or failed.
       * @example running
       */
      readonly status: string;
    };
    /** @description State of the test forks. */
    readonly ForkStatusResponse: {
      /** @description Forks by chain key. */
      readonly activeForks: {
        readonly [key: string]: components['schemas']['ActiveForks'];
      };
      /**
       * @description Deployment.
       * @example local
       * @enum {string}
       */
      readonly environment: 'local' | 'staging' | 'preproduction' | 'production';
      /** @description State of what makes the forks. */
      readonly health: components['schemas']['ForkHealth'];
      /** @description Caps of one fund-wallet call. */
      readonly limits: components['schemas']['FundingLimits'];
      /**
       * @description Simulation before submission.
       * @example enforce
       * @enum {string}
       */
      readonly preflightMode: 'off' | 'enforce';
      /** @description The persistent forks that exist; one is created on first use. */
      readonly primaryForks: readonly components['schemas']['PrimaryFork'][];
      /**
       * @description The state could be told.
       * @example true
       * @enum {boolean}
       */
      readonly success: true;
      /** @description What fund-wallet mints besides ETH, chain by chain. */
      readonly supportedTokens: readonly components['schemas']['SupportedTokens'][];
    };
    /** @description Age of the ranking. */
    readonly Freshness: {
      /**
       * @description Time of the newest snapshot of the chain that is furthest behind; null until every chain has one.
       * @example 2026-01-01T12:00:00.000Z
       */
      readonly latestSnapshotAt: string | null;
      /**
       * @description Age in a word.
       * @example healthy
       * @enum {string}
       */
      readonly snapshotFreshnessStatus: 'healthy' | 'stale' | 'critical';
    };
    /** @description What was added, and what the wallet has now. */
    readonly Funded: {
      /** @description ETH. */
      readonly eth: components['schemas']['FundedEth'];
      /** @description USDC. */
      readonly usdc: components['schemas']['FundedUsdc'];
    };
    /** @description ETH of the wallet. */
    readonly FundedEth: {
      /**
       * @description Asked for; 0 when nothing was.
       * @example 10000000000000000
       */
      readonly requestedAmountWei: string;
      /**
       * @description Balance afterwards, read from the fork.
       * @example 10000000000000000
       */
      readonly resultingBalanceWei: string;
    };
    /** @description USDC of the wallet. */
    readonly FundedUsdc: {
      /**
       * @description Asked for; 0 when nothing was.
       * @example 25000000
       */
      readonly requestedAmountBaseUnits: string;
      /**
       * @description Balance afterwards, read from the fork.
       * @example 25000000
       */
      readonly resultingBalanceBaseUnits: string;
      /**
       * @description USDC of the chain.
       * @example 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913
       */
      readonly tokenAddress: `0x${string}`;
    };
    /** @description Caps of one call. */
    readonly FundingLimits: {
      /**
       * @description ETH, in wei.
       * @example 20000000000000000
       */
      readonly maxEthWeiPerCall: string;
      /**
       * @description USDC, in base units.
       * @example 50000000
       */
      readonly maxUsdcBaseUnitsPerCall: string;
    };
    /** @description What to add to a wallet; at least one of the amounts. */
    readonly FundWalletRequest: {
      /**
       * @description Key of an active chain: ethereum or base.
       * @example base
       */
      readonly chain: string;
      /**
       * @description ETH to add, in wei; at most 20000000000000000 (0.02 ETH) per call.
       * @example 10000000000000000
       */
      readonly ethWei?: string;
      /**
       * @description USDC to add, in base units (6 decimals); at most 50000000 (50 USDC) per call.
       * @example 25000000
       */
      readonly usdcAmount?: string;
      /**
       * @description The wallet to fund.
       * @example 0x6ac6Fa4fEaEaC3ce37CF6d3eDb1dB293DD000c34
       */
      readonly walletAddress: `0x${string}`;
    };
    /** @description The wallet is funded. */
    readonly FundWalletResponse: {
      /**
       * @description Whether only wallets of an allowlist may be funded.
       * @example false
       */
      readonly allowlistEnforced: boolean;
      /**
       * @description Chain key.
       * @example base
       */
      readonly chain: string;
      /**
       * @description Chain id.
       * @example 8453
       */
      readonly chainId: number;
      /**
       * @description Deployment.
       * @example local
       * @enum {string}
       */
      readonly environment: 'local' | 'staging' | 'preproduction' | 'production';
      /**
       * @description Id of the fork. Another one than before: the fork was recreated, earlier balances are gone.
       * @example base-5c0d1f2e3a4b
       */
      readonly forkId: string;
      /** @description What was added, and what the wallet has now. */
      readonly funded: components['schemas']['Funded'];
      /** @description Caps of one call. */
      readonly limits: components['schemas']['FundingLimits'];
      /**
       * @description The balances were added.
       * @example true
       * @enum {boolean}
       */
      readonly success: true;
      /**
       * @description The wallet.
       * @example 0x6ac6Fa4fEaEaC3ce37CF6d3eDb1dB293DD000c34
       */
      readonly walletAddress: `0x${string}`;
    };
    /** @description A time without a sample. */
    readonly Gap: {
      /**
       * Format: date-time
       * @description Last sample before it.
       * @example 2026-01-01T05:59:48.000Z
       */
      readonly from: string;
      /**
       * Format: date-time
       * @description First sample after it.
       * @example 2026-01-01T11:59:48.000Z
       */
      readonly until: string;
    };
    /** @description What the gas cost, in human units of the token. */
    readonly GasPaid: {
      /**
       * @description Amount paid.
       * @example 0.0123
       */
      readonly amount: string;
      /**
       * @description Token that paid.
       * @example 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913
       */
      readonly token: `0x${string}`;
    };
    /** @description What the gas will cost; base units of the token. */
    readonly GasQuote: {
      /**
       * @description Expected amount.
       * @example 12300
       */
      readonly expectedAmount: string;
      /**
       * @description Never more than this.
       * @example 250000
       */
      readonly maxAmount: string;
      /**
       * @description Token that pays.
       * @example 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913
       */
      readonly token: `0x${string}`;
    };
    /** @description State of the service, from a background probe. */
    readonly Health: {
      /** @description The active chains by key. */
      readonly chains: {
        readonly [key: string]: components['schemas']['ChainHealth'];
      };
      /**
       * @description Deployment.
       * @example local
       * @enum {string}
       */
      readonly environment: 'local' | 'staging' | 'preproduction' | 'production';
      /** @description Age of the ranking. */
      readonly freshness: components['schemas']['Freshness'];
      /**
       * @description Whether discover and prepare must be paid.
       * @example off
       * @enum {string}
       */
      readonly paymentEnforcement: 'on' | 'off';
      /**
       * @description Simulation before submission.
       * @example enforce
       * @enum {string}
       */
      readonly preflightMode: 'off' | 'enforce';
      /**
       * @description ok when every part works.
       * @example ok
       * @enum {string}
       */
      readonly status: 'ok' | 'degraded';
      /**
       * @description Seconds since the start.
       * @example 3600
       */
      readonly uptimeSeconds: number;
      /**
       * @description Version of the service.
       * @example 0.1.0
       */
      readonly version: string;
    };
    /** @description The last snapshot of one bucket. */
    readonly HistoryPoint: {
      /**
       * @description APY in percent.
       * @example 4.1
       */
      readonly apy: number;
      /**
       * Format: date-time
       * @description Time of the point, UTC.
       * @example 2026-01-01T12:00:00.000Z
       */
      readonly timestamp: string;
      /**
       * @description Assets under management, in USD.
       * @example 1250000
       */
      readonly tvl: number;
    };
    /** @description APY and TVL of a vault over time. */
    readonly HistoryResponse: {
      /** @description Oldest first; buckets without a snapshot are left out. */
      readonly data: readonly components['schemas']['HistoryPoint'][];
      /**
       * @description How far back.
       * @example 7d
       * @enum {string}
       */
      readonly period: '1h' | '24h' | '7d' | '30d' | '90d';
      /**
       * @description Width of a point.
       * @example hourly
       * @enum {string}
       */
      readonly resolution: 'hourly' | 'daily';
      /** @description Figures over all points. */
      readonly summary: components['schemas']['HistorySummary'];
      /**
       * @description Id of the vault.
       * @example 1943583602127325454
       */
      readonly vaultId: string;
    };
    /** @description Figures over all points; zero when there is none. */
    readonly HistorySummary: {
      /**
       * @description Mean APY in percent.
       * @example 4.1
       */
      readonly avgApy: number;
      /**
       * @description Mean TVL in USD.
       * @example 1240000
       */
      readonly avgTvl: number;
      /**
       * @description Number of points.
       * @example 168
       */
      readonly dataPoints: number;
      /**
       * @description Highest APY in percent.
       * @example 4.4
       */
      readonly maxApy: number;
      /**
       * @description Lowest APY in percent.
       * @example 3.9
       */
      readonly minApy: number;
    };
    /** @description EIP-712 domain; the validator module verifies. */
    readonly IntentDomain: {
      /**
       * @description Chain id.
       * @example 8453
       */
      readonly chainId: number;
      /**
       * @description Name of the domain.
       * @example YieldVaultIntent
       */
      readonly name: string;
      /**
       * @description The validator module.
       * @example 0x94E26D12D8c51176E63Ac8a9bD07D356494d93ed
       */
      readonly verifyingContract: `0x${string}`;
      /**
       * @description Version of the domain.
       * @example 1
       */
      readonly version: string;
    };
    /** @description The intent, as prepare returned it. */
    readonly IntentEnvelope: {
      /**
       * @description Chain id.
       * @example 8453
       */
      readonly chainId: number;
      /**
       * @description Items of any shape; only an empty list is supported.
       * @default []
       * @example []
       */
      readonly destinationExecutions?: readonly unknown[];
      /** @description Any shape; only null is supported. */
      readonly eip7702AuthRequest?: unknown;
      /**
       * @description The entry point.
       * @example 0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108
       */
      readonly entryPoint?: `0x${string}`;
      /**
       * @description Unix seconds after which the intent is dead.
       * @example 1767225600
       */
      readonly expiry: number;
      /**
       * @description Must equal merkleRoot.
       * @example 0x5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c
       */
      readonly intentId?: string;
      /**
       * @description Root of the tree of operations; the intentId.
       * @example 0x5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c
       */
      readonly merkleRoot: `0x${string}`;
      /**
       * @description One Merkle proof for each operation.
       * @default []
       * @example [
       *       []
       *     ]
       */
      readonly proofs?: readonly (readonly `0x${string}`[])[];
      /**
       * @description The wallet.
       * @example 0x70997970C51812dc3A010C7d01b50e0d17dc79C8
       */
      readonly sender?: `0x${string}`;
      /** @description EIP-712 payload that was signed. */
      readonly signing?: components['schemas']['IntentSigning'];
      /** @description The user operations; exactly one is supported. */
      readonly userOps: readonly components['schemas']['EnvelopeUserOperation'][];
      /**
       * @description Unix seconds before which the intent is not valid.
       * @example 0
       */
      readonly validAfter: number;
      /**
       * @description Version of the envelope.
       * @example 1
       * @enum {string}
       */
      readonly version: '1';
    };
    /** @description What the wallet signs. */
    readonly IntentMessage: {
      /**
       * @description Chain id.
       * @example 8453
       */
      readonly chainId: number;
      /**
       * @description Unix seconds.
       * @example 1767225600
       */
      readonly expiry: number;
      /**
       * @description Root of the envelope.
       * @example 0x5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c
       */
      readonly merkleRoot: `0x${string}`;
      /**
       * @description Unix seconds.
       * @example 0
       */
      readonly validAfter: number;
    };
    /** @description EIP-712 payload to sign. */
    readonly IntentSigning: {
      /** @description Domain. */
      readonly domain: components['schemas']['IntentDomain'];
      /** @description Message. */
      readonly message: components['schemas']['IntentMessage'];
      /**
       * @description Primary type.
       * @example Intent
       * @enum {string}
       */
      readonly primaryType: 'Intent';
      /** @description Types. */
      readonly types: components['schemas']['IntentTypes'];
    };
    /** @description EIP-712 types. */
    readonly IntentTypes: {
      /**
       * @description Fields of the type Intent.
       * @example [
       *       {
       *         "name": "merkleRoot",
       *         "type": "bytes32"
       *       },
       *       {
       *         "name": "chainId",
       *         "type": "uint256"
       *       },
       *       {
       *         "name": "expiry",
       *         "type": "uint48"
       *       },
       *       {
       *         "name": "validAfter",
       *         "type": "uint48"
       *       }
       *     ]
       */
      readonly Intent: readonly components['schemas']['TypedDataField'][];
    };
    /** @description A rise that no yield explains, e.g. a donation. */
    readonly Jump: {
      /**
       * @description Change of the share price in percent.
       * @example 3
       */
      readonly changePercent: number;
      /**
       * Format: date-time
       * @description First sample after it.
       * @example 2026-01-01T11:59:48.000Z
       */
      readonly timestamp: string;
    };
    /** @description What to pay, in x402 form. */
    readonly PaymentRequired: {
      /**
       * @description Accepted terms in the form of x402 v1; those of v2 are in the header PAYMENT-REQUIRED.
       * @example [
       *       {
       *         "scheme": "exact",
       *         "network": "base",
       *         "maxAmountRequired": "10000",
       *         "resource": "https://api.example.org/v1/yield/prepare",
       *         "description": "Build a setup or an execution payload",
       *         "mimeType": "application/json",
       *         "outputSchema": {},
       *         "payTo": "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
       *         "maxTimeoutSeconds": 120,
       *         "asset": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
       *         "extra": {
       *           "name": "USD Coin",
       *           "version": "2"
       *         }
       *       }
       *     ]
       */
      readonly accepts: readonly {
        readonly [key: string]: unknown;
      }[];
      /**
       * @description Stable code.
       * @example PAYMENT_REQUIRED
       * @enum {string}
       */
      readonly code: 'PAYMENT_REQUIRED';
      /**
       * @description The documented sentence of the error.
       * @example Payment required
       * @enum {string}
       */
      readonly error: 'Payment required';
      /**
       * @description X-Request-Id of the answer.
       * @example 6f9d6a52-3d0a-4a2e-8f0c-1f1f0c1b7e11
       */
      readonly requestId: string;
      /**
       * @description Version of the protocol.
       * @example 1
       */
      readonly x402Version: number;
    };
    /** @description What a wallet holds of one vault. Amounts are in units of its asset. */
    readonly Position: {
      /**
       * @description Current APY of the vault in percent.
       * @example 4.1
       */
      readonly apy: number;
      /**
       * @description Chain key.
       * @example base
       */
      readonly chain: string;
      /**
       * @description What a redeem of all shares would pay now.
       * @example 25.01
       */
      readonly currentValue: string;
      /**
       * @description Average-cost basis of what is held now.
       * @example 25
       */
      readonly depositedAmount: string;
      /**
       * Format: date-time
       * @description When the position was opened.
       * @example 2026-01-01T12:00:00.000Z
       */
      readonly depositTimestamp: string;
      /**
       * @description Protocol that runs the vault.
       * @example Harbor
       */
      readonly protocol: string;
      /**
       * @description currentValue less depositedAmount; may be negative.
       * @example 0.01
       */
      readonly unrealizedYield: string;
      /**
       * @description Id of the vault.
       * @example 1943583602127325454
       */
      readonly vaultId: string;
      /**
       * @description Name of the vault.
       * @example Harbor USDC Prime
       */
      readonly vaultName: string;
    };
    /** @description What the operation did to a position: positive on deposit, negative on redeem. Human units. */
    readonly PositionUpdate: {
      /**
       * @description Change in assets.
       * @example 25
       */
      readonly assetsDelta: string;
      /**
       * @description Chain key.
       * @example base
       */
      readonly chain: string;
      /**
       * @description Assets per share of this operation.
       * @example 1.0204
       */
      readonly effectivePrice: string;
      /** @description Gas paid through the paymaster. */
      readonly gasPaid: components['schemas']['GasPaid'];
      /**
       * @description Change in shares.
       * @example 24.5
       */
      readonly sharesDelta: string;
      /**
       * @description Id of the vault.
       * @example 1943583602127325454
       */
      readonly vaultId: string;
      /**
       * @description Name of the vault.
       * @example Harbor USDC Prime
       */
      readonly vaultName: string;
    };
    /** @description A deposit, ready to sign. */
    readonly PrepareDepositResponse: {
      /** @description The payload to sign and execute. */
      readonly execution: components['schemas']['Execution'];
      /**
       * @description Id of the intent: merkleRoot of the envelope.
       * @example 0x5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c
       */
      readonly intentId: `0x${string}`;
      /**
       * @description The wallet is set up.
       * @example false
       * @enum {boolean}
       */
      readonly needsSetup: false;
      /**
       * @description The operation.
       * @example deposit
       * @enum {string}
       */
      readonly operation: 'deposit';
      /** @description The vault deposited into. */
      readonly strategy: components['schemas']['Strategy'];
    };
    /** @description Sign `signing` and pass the envelope to execute. */
    readonly PreparedIntentEnvelope: {
      /**
       * @description Chain id.
       * @example 8453
       */
      readonly chainId: number;
      /**
       * @description Empty.
       * @example []
       */
      readonly destinationExecutions: readonly unknown[];
      /**
       * @description The entry point.
       * @example 0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108
       */
      readonly entryPoint: `0x${string}`;
      /**
       * @description Unix seconds after which the intent is dead.
       * @example 1767225600
       */
      readonly expiry: number;
      /**
       * @description Same as merkleRoot.
       * @example 0x5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c
       */
      readonly intentId: `0x${string}`;
      /**
       * @description Root of the tree of operations.
       * @example 0x5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c
       */
      readonly merkleRoot: `0x${string}`;
      /**
       * @description One Merkle proof for each operation.
       * @example [
       *       []
       *     ]
       */
      readonly proofs: readonly (readonly `0x${string}`[])[];
      /**
       * @description The wallet.
       * @example 0x70997970C51812dc3A010C7d01b50e0d17dc79C8
       */
      readonly sender: `0x${string}`;
      /** @description EIP-712 payload to sign. */
      readonly signing: components['schemas']['IntentSigning'];
      /** @description One user operation. */
      readonly userOps: readonly components['schemas']['EnvelopeUserOperation'][];
      /**
       * @description Unix seconds before which the intent is not valid.
       * @example 0
       */
      readonly validAfter: number;
      /**
       * @description Version of the envelope.
       * @example 1
       * @enum {string}
       */
      readonly version: '1';
    };
    /** @description Pass it to setup-relay unchanged. */
    readonly PreparedSetupTicket: {
      /**
       * @description Chain id.
       * @example 8453
       */
      readonly chainId: number;
      /**
       * Format: date-time
       * @description When the ticket expires.
       * @example 2026-01-01T12:00:00.000Z
       */
      readonly expiresAt: string;
      /**
       * @description Smart account implementation.
       * @example 0x06810413076729dcf73bBCd17E36EFd7E92FD7d6
       */
      readonly implementation: `0x${string}`;
      /**
       * @description keccak256 of initCalldata.
       * @example 0x5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c
       */
      readonly initCalldataHash: `0x${string}`;
      /**
       * @description What to set up.
       * @example full
       * @enum {string}
       */
      readonly setupType: 'full' | 'modules';
      /**
       * @description Version of the ticket.
       * @example 1
       * @enum {number}
       */
      readonly version: 1;
      /**
       * @description The EOA to set up.
       * @example 0x70997970C51812dc3A010C7d01b50e0d17dc79C8
       */
      readonly walletAddress: `0x${string}`;
    };
    /** @description A rebalance, ready to sign. */
    readonly PrepareRebalanceResponse: {
      /** @description The payload to sign and execute. */
      readonly execution: components['schemas']['Execution'];
      /**
       * @description Id of the intent: merkleRoot of the envelope.
       * @example 0x5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c
       */
      readonly intentId: `0x${string}`;
      /**
       * @description The wallet is set up.
       * @example false
       * @enum {boolean}
       */
      readonly needsSetup: false;
      /**
       * @description The operation.
       * @example rebalance
       * @enum {string}
       */
      readonly operation: 'rebalance';
      /** @description The vault to leave. */
      readonly source: components['schemas']['RebalanceSource'];
      /** @description The target vault. */
      readonly strategy: components['schemas']['Strategy'];
      /** @description The recommended vault. */
      readonly target: components['schemas']['RebalanceTarget'];
    };
    /** @description A redeem, ready to sign. */
    readonly PrepareRedeemResponse: {
      /** @description The payload to sign and execute. */
      readonly execution: components['schemas']['Execution'];
      /**
       * @description Id of the intent: merkleRoot of the envelope.
       * @example 0x5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c
       */
      readonly intentId: `0x${string}`;
      /**
       * @description The wallet is set up.
       * @example false
       * @enum {boolean}
       */
      readonly needsSetup: false;
      /**
       * @description The operation.
       * @example redeem
       * @enum {string}
       */
      readonly operation: 'redeem';
    };
    /** @description The operation to build. */
    readonly PrepareRequest: {
      /**
       * @description The agent's EOA.
       * @example 0x70997970C51812dc3A010C7d01b50e0d17dc79C8
       */
      readonly agentAddress: `0x${string}`;
      /**
       * @description Amount in human units of the asset. Required with deposit, and allowed there only.
       * @example 25
       */
      readonly amount?: string;
      /**
       * @description Symbol of the asset. Required with deposit; must be the asset of the vault.
       * @example USDC
       */
      readonly asset?: string;
      /**
       * @description Key of an active chain.
       * @default base
       * @example base
       */
      readonly chain?: string;
      /**
       * @description What to do with the vault.
       * @default deposit
       * @example deposit
       * @enum {string}
       */
      readonly operation?: 'deposit' | 'redeem' | 'rebalance';
      /** @description Redeem only: percent of the position, above 0, at most 100. Not together with shares. */
      readonly percentage?: number;
      /** @description Redeem only: base units of the share token. Not together with percentage. */
      readonly shares?: string;
      /**
       * @description Id of the vault, from discover; with rebalance the vault to leave.
       * @example 1943583602127325454
       */
      readonly vaultId: string;
    };
    /** @description The wallet needs a setup first; any operation. */
    readonly PrepareSetupResponse: {
      /** @description null until the wallet is set up. */
      readonly execution: null;
      /** @description null until the wallet is set up. */
      readonly intentEnvelope: null;
      /**
       * @description Hash of the setup ticket.
       * @example 0x5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c
       */
      readonly intentId: `0x${string}`;
      /**
       * @description Sign the setup, call setup-relay, then prepare again.
       * @example true
       * @enum {boolean}
       */
      readonly needsSetup: true;
      /**
       * @description The operation asked for.
       * @example deposit
       * @enum {string}
       */
      readonly operation: 'deposit' | 'redeem' | 'rebalance';
      /** @description The setup transaction to sign. */
      readonly setup: components['schemas']['Setup'];
      /** @description Pass it to setup-relay unchanged. */
      readonly setupTicket: components['schemas']['PreparedSetupTicket'];
      /**
       * @description What to set up.
       * @example full
       * @enum {string}
       */
      readonly setupType: 'full' | 'modules';
      /** @description Rebalance only. */
      readonly source?: components['schemas']['RebalanceSource'];
      /** @description The vault that the setup leads to. */
      readonly strategy: components['schemas']['SetupStrategy'];
      /** @description Rebalance only. */
      readonly target?: components['schemas']['RebalanceTarget'];
    };
    /** @description What has a price, and its terms. */
    readonly PricedResource: {
      /**
       * @description x402 v2 payment requirements, one for each chain.
       * @example [
       *       {
       *         "scheme": "exact",
       *         "network": "eip155:8453",
       *         "amount": "10000",
       *         "asset": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
       *         "payTo": "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
       *         "maxTimeoutSeconds": 120,
       *         "extra": {
       *           "name": "USD Coin",
       *           "version": "2"
       *         }
       *       }
       *     ]
       */
      readonly accepts: readonly {
        readonly [key: string]: unknown;
      }[];
      /**
       * @description What it is.
       * @example Build a setup or an execution payload
       */
      readonly description: string;
      /**
       * @description HTTP method.
       * @example POST
       */
      readonly method: string;
      /**
       * @description Its URL.
       * @example https://api.example.org/v1/yield/prepare
       */
      readonly resource: string;
      /**
       * @description How it is reached.
       * @example http
       * @enum {string}
       */
      readonly type: 'http';
    };
    /** @description What costs how much. */
    readonly Prices: {
      /** @description Each with its terms. */
      readonly items: readonly components['schemas']['PricedResource'][];
      /**
       * @description Method and path of each.
       * @example [
       *       "POST /v1/yield/prepare"
       *     ]
       */
      readonly resources: readonly string[];
      /**
       * @description Of this document.
       * @example 1
       * @enum {number}
       */
      readonly version: 1;
      /**
       * @description Of the protocol.
       * @example 2
       * @enum {number}
       */
      readonly x402Version: 2;
    };
    /** @description A share price after cleaning. */
    readonly PriceSample: {
      /**
       * @description Whole assets for one whole share.
       * @example 1.091042088256
       */
      readonly sharePrice: number;
      /**
       * Format: date-time
       * @description Time of the block.
       * @example 2026-01-01T11:59:48.000Z
       */
      readonly timestamp: string;
    };
    /** @description The persistent fork of a chain. */
    readonly PrimaryFork: {
      /**
       * @description Newest block.
       * @example 12345678
       */
      readonly blockNumber: number;
      /**
       * @description Chain key.
       * @example base
       */
      readonly chain: string;
      /**
       * @description Chain id.
       * @example 8453
       */
      readonly chainId: number;
      /**
       * Format: date-time
       * @description When it was created.
       * @example 2026-01-01T12:00:00.000Z
       */
      readonly createdAt: string;
      /**
       * @description Changes when the fork is recreated: what wallets did on it is gone then.
       * @example base-5c0d1f2e3a4b
       */
      readonly id: string;
      /**
       * @description Where it answers JSON-RPC; null where the deployment does not make it public.
       * @example http://127.0.0.1:3100/rpc/base
       */
      readonly rpcUrl: string | null;
      /**
       * @description starting, running, stopped or failed.
       * @example running
       */
      readonly status: string;
    };
    /** @description The service takes requests. */
    readonly Ready: {
      /**
       * @description Every part works.
       * @example ready
       * @enum {string}
       */
      readonly status: 'ready';
    };
    /** @description The vault to leave. */
    readonly RebalanceSource: {
      /** @description APY in percent. */
      readonly apy: components['schemas']['Apy'];
      /** @description Risk of the vault. */
      readonly risk: components['schemas']['Risk'];
      /**
       * @description Assets under management, in USD.
       * @example 1250000
       */
      readonly tvlUsd: number;
      /**
       * @description Id of the vault.
       * @example 1943583602127325454
       */
      readonly vaultId: string;
      /**
       * @description Name of the vault.
       * @example Harbor USDC Prime
       */
      readonly vaultName: string;
    };
    /** @description The recommended vault. */
    readonly RebalanceTarget: {
      /** @description APY in percent. */
      readonly apy: components['schemas']['Apy'];
      /**
       * @description Ranking score from 0 to 100.
       * @example 87.42
       */
      readonly compositeScore: number;
      /** @description Risk of the vault. */
      readonly risk: components['schemas']['Risk'];
      /**
       * @description Assets under management, in USD.
       * @example 1250000
       */
      readonly tvlUsd: number;
      /**
       * @description Id of the vault.
       * @example 1943583602127325454
       */
      readonly vaultId: string;
      /**
       * @description Name of the vault.
       * @example Harbor USDC Prime
       */
      readonly vaultName: string;
    };
    /** @description Receipt of the user operation. */
    readonly Receipt: {
      /**
       * @description Block of the transaction.
       * @example 12345678
       */
      readonly blockNumber: number;
      /**
       * @description Gas used.
       * @example 231000
       */
      readonly gasUsed: string;
      /**
       * @description Outcome of the user operation.
       * @example success
       * @enum {string}
       */
      readonly status: 'success' | 'reverted';
    };
    /** @description Risk of a vault. */
    readonly Risk: {
      /**
       * @description The score as a word.
       * @example low
       * @enum {string}
       */
      readonly level: 'low' | 'medium' | 'high';
      /**
       * @description The score as a grade.
       * @example A+
       * @enum {string}
       */
      readonly rating: 'A+' | 'A' | 'A-' | 'B+' | 'B' | 'B-' | 'C' | 'D' | 'F';
      /**
       * @description 0 (safest) to 100.
       * @example 2.5
       */
      readonly score: number;
    };
    /** @description How the risk score came about: the largest of base and floors. */
    readonly RiskExplanation: {
      /**
       * @description Sum of the contributions.
       * @example 2.4971066163758837
       */
      readonly base: number;
      /**
       * @description Percent of the weights whose input is known.
       * @example 100
       */
      readonly coverage: number;
      /** @description The factors; their weights add up to 100. */
      readonly factors: readonly components['schemas']['RiskFactor'][];
      /** @description The floors that hold. */
      readonly floors: readonly components['schemas']['RiskFloor'][];
    };
    /** @description One factor of the risk score. */
    readonly RiskFactor: {
      /**
       * @description weight × value / 100.
       * @example 0
       */
      readonly contribution: number;
      /**
       * @description Name.
       * @example audit
       */
      readonly factor: string;
      /**
       * @description What it was judged by; null when unknown.
       * @example 6
       */
      readonly input: string | number | null;
      /**
       * @description Whether the input is known.
       * @example true
       */
      readonly isKnown: boolean;
      /**
       * @description 0 best to 100 worst; the prior when the input is unknown.
       * @example 0
       */
      readonly value: number;
      /**
       * @description Percent of the score.
       * @example 8
       */
      readonly weight: number;
    };
    /** @description A least score. */
    readonly RiskFloor: {
      /**
       * @description The risk score is at least this.
       * @example 46
       */
      readonly atLeast: number;
      /**
       * @description Why.
       * @example age<30d
       */
      readonly reason: string;
    };
    /** @description The setup transaction to sign. value is 0; the nonce is the next one of the wallet on the chain or fork that it acts on, from a node of it (fork-status shows rpcUrl); the nonce of the authorization is that plus 1. */
    readonly Setup: {
      /** @description null for modules. */
      readonly authorization: components['schemas']['SetupAuthorization'] | null;
      /**
       * @description What the transaction does, in plain words.
       * @example Sign a type-4 transaction to yourself on Base that delegates to the account implementation and installs the validator and executor modules and allows the paymaster up to 100 USDC for gas.
       */
      readonly description: string;
      /** @description Gas of the transaction. */
      readonly gas: components['schemas']['SetupGas'];
      /**
       * @description Data of the transaction.
       * @example 0x5cac397d00000000000000000000000094e26d12d8c51176e63ac8a9bd07d356494d93ed000000000000000000000000eeb10346dca9c0b22f53b69965557171eab00fcc000000000000000000000000833589fcd6edb6e08f4c7c32d4f71b54bda02913000000000000000000000000f5f56c6df5dd6f50544cff3fe94c909e113886220000000000000000000000000000000000000000000000000000000005f5e100
       */
      readonly initCalldata: `0x${string}`;
      /**
       * @description full: type 4 with the authorization; modules: type 2.
       * @example full
       * @enum {string}
       */
      readonly setupType: 'full' | 'modules';
      /**
       * @description Recipient: the wallet itself.
       * @example 0x70997970C51812dc3A010C7d01b50e0d17dc79C8
       */
      readonly to: `0x${string}`;
    };
    /** @description The EIP-7702 authorization to sign. */
    readonly SetupAuthorization: {
      /**
       * @description Chain id.
       * @example 8453
       */
      readonly chainId: number;
      /**
       * @description Implementation to delegate to.
       * @example 0x06810413076729dcf73bBCd17E36EFd7E92FD7d6
       */
      readonly contractAddress: `0x${string}`;
    };
    /** @description Gas of the setup transaction, sufficient as given. A chain of the OP stack, as Base, takes its fee for L1 on top. */
    readonly SetupGas: {
      /**
       * @description Gas limit.
       * @example 400000
       */
      readonly gasLimit: string;
      /**
       * @description Wei per gas.
       * @example 1000000000
       */
      readonly maxFeePerGas: string;
      /**
       * @description Wei per gas.
       * @example 1000000
       */
      readonly maxPriorityFeePerGas: string;
    };
    /** @description A signed setup transaction and its ticket. */
    readonly SetupRelayRequest: {
      /**
       * @description Block confirmations to wait for.
       * @default 2
       * @example 2
       */
      readonly confirmations?: number;
      /** @description The ticket that prepare returned. */
      readonly setupTicket: components['schemas']['SetupTicket'];
      /**
       * @description The signed transaction: a self-call of type 4 with an authorization list for full, of type 2 or 4 for modules.
       * @example 0x04
       */
      readonly signedRawTx: `0x${string}`;
    };
    /** @description The wallet is set up. */
    readonly SetupRelayResponse: {
      /**
       * @description Block of the transaction.
       * @example 12345678
       */
      readonly blockNumber: string;
      /**
       * @description The wallet delegates to the implementation.
       * @example true
       */
      readonly delegationVerified: boolean;
      /**
       * @description Validator and executor modules are installed.
       * @example true
       */
      readonly modulesVerified: boolean;
      /**
       * @description Status of the receipt.
       * @example success
       * @enum {string}
       */
      readonly receiptStatus: 'success';
      /**
       * @description Where the transaction went.
       * @example managed-fork
       * @enum {string}
       */
      readonly relayMode: 'managed-fork' | 'chain';
      /**
       * @description What is still missing.
       * @example none
       * @enum {string}
       */
      readonly setupRequired: 'none';
      /**
       * @description What was set up.
       * @example full
       * @enum {string}
       */
      readonly setupType: 'full' | 'modules';
      /**
       * @description Hash of the transaction.
       * @example 0x5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c
       */
      readonly txHash: `0x${string}`;
      /**
       * @description The checks in the order in which they passed.
       * @example [
       *       "ticket-not-expired",
       *       "chain-active",
       *       "implementation-match",
       *       "tx-type-valid",
       *       "chain-id-match",
       *       "self-call",
       *       "calldata-hash-match",
       *       "auth-list-valid",
       *       "signer-match",
       *       "tx-broadcast",
       *       "receipt-success",
       *       "delegation-verified",
       *       "modules-verified"
       *     ]
       */
      readonly verificationChecks: readonly (
        | 'ticket-not-expired'
        | 'chain-active'
        | 'implementation-match'
        | 'tx-type-valid'
        | 'chain-id-match'
        | 'self-call'
        | 'calldata-hash-match'
        | 'auth-list-valid'
        | 'signer-match'
        | 'tx-broadcast'
        | 'receipt-success'
        | 'delegation-verified'
        | 'modules-verified'
      )[];
      /**
       * @description The implementation found on chain.
       * @example 0x06810413076729dcf73bBCd17E36EFd7E92FD7d6
       */
      readonly verifiedImplementation: `0x${string}`;
    };
    /** @description The vault that the setup leads to. */
    readonly SetupStrategy: {
      /**
       * @description Current APY in percent.
       * @example 4.12
       */
      readonly expectedAPY: number;
      /**
       * @description Risk level.
       * @example low
       * @enum {string}
       */
      readonly riskScore: 'low' | 'medium' | 'high';
      /**
       * @description Name of the vault.
       * @example Harbor USDC Prime
       */
      readonly vaultName: string;
    };
    /** @description The setup ticket, as prepare returned it. */
    readonly SetupTicket: {
      /**
       * @description Chain id.
       * @example 8453
       */
      readonly chainId: number;
      /**
       * Format: date-time
       * @description ISO 8601 UTC time ending in Z.
       * @example 2026-01-01T12:00:00.000Z
       */
      readonly expiresAt: string;
      /**
       * @description Smart account implementation.
       * @example 0x06810413076729dcf73bBCd17E36EFd7E92FD7d6
       */
      readonly implementation: `0x${string}`;
      /**
       * @description keccak256 of the setup calldata.
       * @example 0x5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c
       */
      readonly initCalldataHash: `0x${string}`;
      /**
       * @description full delegates and initialises; modules initialises only.
       * @default full
       * @example full
       * @enum {string}
       */
      readonly setupType?: 'full' | 'modules';
      /**
       * @description Version of the ticket.
       * @example 1
       * @enum {integer}
       */
      readonly version: 1;
      /**
       * @description The EOA to set up.
       * @example 0x70997970C51812dc3A010C7d01b50e0d17dc79C8
       */
      readonly walletAddress: `0x${string}`;
    };
    /** @description Sharpe ratio of the share price. */
    readonly Sharpe: {
      /**
       * @description Over the last month.
       * @example 1.8
       */
      readonly month: number;
      /**
       * @description Over the last week.
       * @example 2.1
       */
      readonly week: number;
    };
    /** @description What the Sharpe ratios were computed from. */
    readonly SharpeExplanation: {
      /**
       * @description Daily returns of the month.
       * @example 30
       */
      readonly monthObservations: number;
      /**
       * @description Risk-free rate a year, in percent.
       * @example 4
       */
      readonly riskFreeRate: number;
      /**
       * @description Daily returns of the week.
       * @example 7
       */
      readonly weekObservations: number;
    };
    /** @description Least result that the chain enforces; base units. */
    readonly Slippage: {
      /**
       * @description Tolerance in basis points.
       * @example 50
       */
      readonly maxSlippageBps: number;
      /**
       * @description Least result.
       * @example 24375000
       */
      readonly minOut: string;
      /**
       * @description Expected result.
       * @example 24500000
       */
      readonly quotedOut: string;
    };
    /** @description The portfolio of a wallet over all active chains. */
    readonly StatusResponse: {
      /**
       * @description Number of positions.
       * @example 1
       */
      readonly positionCount: number;
      /** @description Active positions. */
      readonly positions: readonly components['schemas']['Position'][];
      /**
       * @description Cost of the same positions, in USD.
       * @example 25
       */
      readonly totalDeposited: number;
      /**
       * @description Value of all positions whose asset has a known price, in USD.
       * @example 25.01
       */
      readonly totalValueUsd: number;
      /**
       * @description Yield in USD, realised and unrealised.
       * @example 0.01
       */
      readonly totalYieldEarned: number;
    };
    /** @description The vault that the operation moves funds to. */
    readonly Strategy: {
      /**
       * @description Chain key.
       * @example base
       */
      readonly chain: string;
      /**
       * @description Current APY in percent.
       * @example 4.12
       */
      readonly expectedAPY: number;
      /**
       * @description Protocol that runs the vault.
       * @example Harbor
       */
      readonly protocol: string;
      /**
       * @description Risk level.
       * @example low
       * @enum {string}
       */
      readonly riskScore: 'low' | 'medium' | 'high';
      /**
       * @description Assets under management, in USD.
       * @example 1250000
       */
      readonly tvl: number;
      /**
       * @description Name of the vault.
       * @example Harbor USDC Prime
       */
      readonly vaultName: string;
    };
    /** @description Tokens that can be minted on the forks of a chain. */
    readonly SupportedTokens: {
      /**
       * @description Chain key.
       * @example base
       */
      readonly chain: string;
      /**
       * @description Chain id.
       * @example 8453
       */
      readonly chainId: number;
      /**
       * @description Addresses by token key.
       * @example {
       *       "usdc": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
       *     }
       */
      readonly tokens: {
        readonly [key: string]: string;
      };
    };
    /** @description How the TVL came about. */
    readonly TvlExplanation: {
      /**
       * @description How the price was found.
       * @example feed
       */
      readonly priceSource: string;
      /**
       * @description USD for one whole unit of the asset; 0 when unknown.
       * @example 1
       */
      readonly priceUsd: number;
      /**
       * @description Base units of the asset.
       * @example 183213107068715
       */
      readonly totalAssets: string;
      /**
       * @description Product of both, in USD.
       * @example 183213107.068715
       */
      readonly usd: number;
    };
    /** @description One field of an EIP-712 type. */
    readonly TypedDataField: {
      /**
       * @description Name of the field.
       * @example merkleRoot
       */
      readonly name: string;
      /**
       * @description Solidity type of the field.
       * @example bytes32
       */
      readonly type: string;
    };
    /** @description An ERC-4337 user operation, paymaster fields packed. Further properties are ignored. */
    readonly UserOperation: {
      /**
       * @description What the account is to do.
       * @example 0x
       */
      readonly callData: `0x${string}`;
      /**
       * @description Gas of the call.
       * @example 400000
       */
      readonly callGasLimit?: string;
      /**
       * @description 0x as prepared.
       * @example 0x
       */
      readonly initCode?: `0x${string}`;
      /**
       * @description Highest fee per gas, in wei.
       * @example 1000000000
       */
      readonly maxFeePerGas?: string;
      /**
       * @description Highest priority fee per gas, in wei.
       * @example 1000000
       */
      readonly maxPriorityFeePerGas?: string;
      /**
       * @description Nonce, decimal or 0x-hex.
       * @example 0
       */
      readonly nonce: string;
      /**
       * @description paymaster, verification gas, postOp gas and data, packed as from EntryPoint v0.7.
       * @example 0x
       */
      readonly paymasterAndData?: `0x${string}`;
      /**
       * @description Gas of the bundler.
       * @example 60000
       */
      readonly preVerificationGas?: string;
      /**
       * @description The wallet.
       * @example 0x70997970C51812dc3A010C7d01b50e0d17dc79C8
       */
      readonly sender: `0x${string}`;
      /**
       * @description 0x as prepared; the relay packs the intent signature.
       * @example 0x
       */
      readonly signature: `0x${string}`;
      /**
       * @description Gas of the validation.
       * @example 150000
       */
      readonly verificationGasLimit?: string;
    };
    /** @description A vault that fits the request. */
    readonly VaultCandidate: {
      /** @description APY in percent. */
      readonly apy: components['schemas']['Apy'];
      /**
       * @description Symbol of the underlying asset.
       * @example USDC
       */
      readonly asset: string;
      /**
       * @description Chain key.
       * @example base
       */
      readonly chain: string;
      /**
       * @description Ranking score from 0 to 100; the list is ordered by it.
       * @example 87.42
       */
      readonly compositeScore: number;
      /**
       * @description Name of the vault.
       * @example Harbor USDC Prime
       */
      readonly name: string;
      /**
       * @description Protocol that runs the vault.
       * @example Harbor
       */
      readonly protocol: string;
      /** @description Risk of the vault. */
      readonly risk: components['schemas']['Risk'];
      /** @description Return for its variation. */
      readonly sharpe: components['schemas']['Sharpe'];
      /**
       * @description Class of the vault, prime first.
       * @example prime
       * @enum {string}
       */
      readonly tier: 'prime' | 'core' | 'edge';
      /**
       * @description Assets under management, in USD.
       * @example 1250000
       */
      readonly tvlUsd: number;
      /**
       * @description Address of the vault contract.
       * @example 0x4791cb70E233BD6120b81e1dB416589E38B1843C
       */
      readonly vaultAddress: `0x${string}`;
      /**
       * @description Stable id; pass it to prepare.
       * @example 1943583602127325454
       */
      readonly vaultId: string;
    };
    /** @description The newest simulated deposit and redeem. */
    readonly VaultCapability: {
      /**
       * @description Base units of the asset that were deposited.
       * @example 10000000
       */
      readonly assetsIn: string;
      /**
       * @description Base units of the asset that these shares paid.
       * @example 9999999
       */
      readonly assetsOut: string;
      /**
       * @description Block on which.
       * @example 929
       */
      readonly blockNumber: number;
      /**
       * Format: date-time
       * @description When it was simulated.
       * @example 2026-01-01T11:40:12.000Z
       */
      readonly checkedAt: string;
      /**
       * @description The step that did not work; null when both did.
       * @example null
       */
      readonly failedStep: ('deposit' | 'redeem') | null;
      /**
       * @description Decoded revert reason; null without one.
       * @example null
       */
      readonly reason: string | null;
      /**
       * @description Base units of the share that came of it.
       * @example 9165549
       */
      readonly sharesOut: string;
      /**
       * @description What it showed.
       * @example ok
       * @enum {string}
       */
      readonly verdict:
        'ok' | 'deposit-closed' | 'paused' | 'below-minimum' | 'whitelist' | 'reverts' | 'async';
    };
    /** @description What the numbers were computed from, and how old it is. */
    readonly VaultData: {
      /**
       * @description Seconds since the newest sample, as of this answer; null before the first.
       * @example 36
       */
      readonly ageSeconds: number | null;
      /**
       * @description Block of the newest sample; null before the first.
       * @example 929
       */
      readonly blockNumber: number | null;
      /**
       * Format: date-time
       * @description When the numbers were computed.
       * @example 2026-01-01T12:00:37.000Z
       */
      readonly computedAt: string;
      /**
       * @description Those that the chart of an external service stands in for.
       * @example 0
       */
      readonly externalSnapshots: number;
      /**
       * @description Time of the oldest sample; null before the first.
       * @example 2025-11-26T12:00:00.000Z
       */
      readonly firstSnapshotAt: string | null;
      /** @description More than 2 hours without a sample within the last 31 days, newest first, at most 20. */
      readonly gaps: readonly components['schemas']['Gap'][];
      /**
       * @description Time of the newest sample; null before the first.
       * @example 2026-01-01T12:00:36.000Z
       */
      readonly latestSnapshotAt: string | null;
      /**
       * @description Samples.
       * @example 773
       */
      readonly snapshots: number;
    };
    /** @description A page of the catalogue. */
    readonly VaultListResponse: {
      /**
       * @description Vaults on this page.
       * @example 1
       */
      readonly count: number;
      /**
       * @description Pass it as cursor for the next page; null on the last one.
       * @example null
       */
      readonly nextCursor: string | null;
      /**
       * @description Vaults on all pages.
       * @example 1
       */
      readonly total: number;
      /** @description Ordered by vaultId as an integer, so that pages stay where they are while numbers move. */
      readonly vaults: readonly components['schemas']['VaultSummary'][];
    };
    /** @description A vault with everything that its numbers were computed from. */
    readonly VaultReport: {
      /** @description APY in percent. */
      readonly apy: components['schemas']['Apy'];
      /** @description What is deposited. */
      readonly asset: components['schemas']['Asset'];
      /** @description Whether money gets in and out again; null before the first simulation. */
      readonly capability: components['schemas']['VaultCapability'] | null;
      /**
       * @description Chain key.
       * @example base
       */
      readonly chain: string;
      /**
       * @description Chain id.
       * @example 8453
       */
      readonly chainId: number;
      /** @description What discover orders by. */
      readonly compositeScores: components['schemas']['CompositeScores'];
      /** @description The samples. */
      readonly data: components['schemas']['VaultData'];
      /**
       * @description Why it is not listed; empty when it is.
       * @example []
       */
      readonly exclusions: readonly string[];
      /** @description How the numbers came about. */
      readonly explanation: components['schemas']['Explanation'];
      /**
       * @description Warnings of the catalogue.
       * @example []
       */
      readonly flags: readonly string[];
      /**
       * @description Whether discover may name it.
       * @example true
       */
      readonly listed: boolean;
      /**
       * @description Name of the vault.
       * @example Harbor USDC Prime
       */
      readonly name: string;
      /**
       * @description Protocol that runs the vault.
       * @example Harbor
       */
      readonly protocol: string;
      /** @description Risk of the vault. */
      readonly risk: components['schemas']['Risk'];
      /**
       * @description Decimals of the base units of its share.
       * @example 6
       */
      readonly shareDecimals: number;
      /**
       * @description Assets for one share at the newest sample; 0 before the first.
       * @example 1.0862
       */
      readonly sharePrice: number;
      /** @description Return for its variation. */
      readonly sharpe: components['schemas']['Sharpe'];
      /**
       * @description Where the catalogue has the vault from.
       * @example [
       *       "registry"
       *     ]
       */
      readonly sources: readonly string[];
      /**
       * @description Class of the vault, prime first.
       * @example prime
       * @enum {string}
       */
      readonly tier: 'prime' | 'core' | 'edge';
      /**
       * @description Assets under management, in USD.
       * @example 183213107.07
       */
      readonly tvlUsd: number;
      /**
       * @description Address of the vault contract.
       * @example 0x4791cb70E233BD6120b81e1dB416589E38B1843C
       */
      readonly vaultAddress: `0x${string}`;
      /**
       * @description Stable id.
       * @example 1943583602127325454
       */
      readonly vaultId: string;
    };
    /** @description A vault of the catalogue, whether discover names it or not. */
    readonly VaultSummary: {
      /** @description APY in percent. */
      readonly apy: components['schemas']['Apy'];
      /** @description What is deposited. */
      readonly asset: components['schemas']['Asset'];
      /**
       * @description Chain key.
       * @example base
       */
      readonly chain: string;
      /**
       * @description Chain id.
       * @example 8453
       */
      readonly chainId: number;
      /** @description What discover orders by. */
      readonly compositeScores: components['schemas']['CompositeScores'];
      /**
       * @description Why it is not listed; empty when it is.
       * @example []
       */
      readonly exclusions: readonly string[];
      /**
       * @description Warnings of the catalogue.
       * @example []
       */
      readonly flags: readonly string[];
      /**
       * @description Whether discover may name it.
       * @example true
       */
      readonly listed: boolean;
      /**
       * @description Name of the vault.
       * @example Harbor USDC Prime
       */
      readonly name: string;
      /**
       * @description Protocol that runs the vault.
       * @example Harbor
       */
      readonly protocol: string;
      /** @description Risk of the vault. */
      readonly risk: components['schemas']['Risk'];
      /**
       * @description Decimals of the base units of its share.
       * @example 6
       */
      readonly shareDecimals: number;
      /**
       * @description Assets for one share at the newest sample; 0 before the first.
       * @example 1.0862
       */
      readonly sharePrice: number;
      /** @description Return for its variation. */
      readonly sharpe: components['schemas']['Sharpe'];
      /**
       * @description Class of the vault, prime first.
       * @example prime
       * @enum {string}
       */
      readonly tier: 'prime' | 'core' | 'edge';
      /**
       * @description Assets under management, in USD.
       * @example 183213107.07
       */
      readonly tvlUsd: number;
      /**
       * @description Address of the vault contract.
       * @example 0x4791cb70E233BD6120b81e1dB416589E38B1843C
       */
      readonly vaultAddress: `0x${string}`;
      /**
       * @description Stable id.
       * @example 1943583602127325454
       */
      readonly vaultId: string;
    };
  };
  responses: never;
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
  readonly readPrices: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description What costs how much, and how it is paid (x402). */
      readonly 200: {
        headers: {
          /** @description Requests allowed in a minute. */
          readonly 'RateLimit-Limit'?: number;
          /** @description Requests left in this window. */
          readonly 'RateLimit-Remaining'?: number;
          /** @description Seconds until the window ends. */
          readonly 'RateLimit-Reset'?: number;
          /** @description Id of the request, echoed or made. */
          readonly 'X-Request-Id'?: string;
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Prices'];
        };
      };
      /** @description Invalid request parameters (`INVALID_PARAMETERS`) */
      readonly 400: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
      /** @description Rate limit exceeded (`RATE_LIMIT_EXCEEDED`) */
      readonly 429: {
        headers: {
          /** @description Requests allowed in a minute. */
          readonly 'RateLimit-Limit'?: number;
          /** @description Requests left in this window. */
          readonly 'RateLimit-Remaining'?: number;
          /** @description Seconds until the window ends. */
          readonly 'RateLimit-Reset'?: number;
          /** @description Seconds to wait before the same call. */
          readonly 'Retry-After'?: number;
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
      /** @description Internal error (`INTERNAL`) */
      readonly 500: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
    };
  };
  readonly readHealth: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The process lives; status says how well. */
      readonly 200: {
        headers: {
          /** @description Id of the request, echoed or made. */
          readonly 'X-Request-Id'?: string;
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Health'];
        };
      };
      /** @description Invalid request parameters (`INVALID_PARAMETERS`) */
      readonly 400: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
      /** @description Internal error (`INTERNAL`) */
      readonly 500: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
    };
  };
  readonly readReadiness: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Ready for requests. */
      readonly 200: {
        headers: {
          /** @description Id of the request, echoed or made. */
          readonly 'X-Request-Id'?: string;
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Ready'];
        };
      };
      /** @description Invalid request parameters (`INVALID_PARAMETERS`) */
      readonly 400: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
      /** @description Internal error (`INTERNAL`) */
      readonly 500: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
      /** @description Service unavailable (`UPSTREAM_UNAVAILABLE`) */
      readonly 503: {
        headers: {
          /** @description Seconds to wait before the same call. */
          readonly 'Retry-After'?: number;
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
    };
  };
  readonly readMetrics: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Prometheus text exposition. */
      readonly 200: {
        headers: {
          /** @description Id of the request, echoed or made. */
          readonly 'X-Request-Id'?: string;
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'text/plain': string;
        };
      };
      /** @description Invalid request parameters (`INVALID_PARAMETERS`) */
      readonly 400: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
      /** @description Internal error (`INTERNAL`) */
      readonly 500: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
    };
  };
  readonly forkStatus: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description State of the test forks. */
      readonly 200: {
        headers: {
          /** @description Requests allowed in a minute. */
          readonly 'RateLimit-Limit'?: number;
          /** @description Requests left in this window. */
          readonly 'RateLimit-Remaining'?: number;
          /** @description Seconds until the window ends. */
          readonly 'RateLimit-Reset'?: number;
          /** @description Id of the request, echoed or made. */
          readonly 'X-Request-Id'?: string;
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['ForkStatusResponse'];
        };
      };
      /** @description Invalid request parameters (`INVALID_PARAMETERS`) */
      readonly 400: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
      /** @description Rate limit exceeded (`RATE_LIMIT_EXCEEDED`) */
      readonly 429: {
        headers: {
          /** @description Requests allowed in a minute. */
          readonly 'RateLimit-Limit'?: number;
          /** @description Requests left in this window. */
          readonly 'RateLimit-Remaining'?: number;
          /** @description Seconds until the window ends. */
          readonly 'RateLimit-Reset'?: number;
          /** @description Seconds to wait before the same call. */
          readonly 'Retry-After'?: number;
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
      /** @description Internal error (`INTERNAL`) */
      readonly 500: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
      /** @description Service unavailable (`UPSTREAM_UNAVAILABLE`) */
      readonly 503: {
        headers: {
          /** @description Seconds to wait before the same call. */
          readonly 'Retry-After'?: number;
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
    };
  };
  readonly fundWallet: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['FundWalletRequest'];
      };
    };
    readonly responses: {
      /** @description The wallet is funded. */
      readonly 200: {
        headers: {
          /** @description Requests allowed in a minute. */
          readonly 'RateLimit-Limit'?: number;
          /** @description Requests left in this window. */
          readonly 'RateLimit-Remaining'?: number;
          /** @description Seconds until the window ends. */
          readonly 'RateLimit-Reset'?: number;
          /** @description Id of the request, echoed or made. */
          readonly 'X-Request-Id'?: string;
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['FundWalletResponse'];
        };
      };
      /** @description Invalid request parameters (`INVALID_PARAMETERS`) · Chain is not active (`CHAIN_NOT_ACTIVE`) · ethWei/usdcAmount exceeds testing cap (`TESTING_CAP_EXCEEDED`) */
      readonly 400: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
      /** @description Wallet is not allowed (`WALLET_NOT_ALLOWED`) */
      readonly 403: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
      /** @description Request body too large (`BODY_TOO_LARGE`) */
      readonly 413: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
      /** @description Unsupported media type (`UNSUPPORTED_MEDIA_TYPE`) */
      readonly 415: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
      /** @description Rate limit exceeded (`RATE_LIMIT_EXCEEDED`) */
      readonly 429: {
        headers: {
          /** @description Requests allowed in a minute. */
          readonly 'RateLimit-Limit'?: number;
          /** @description Requests left in this window. */
          readonly 'RateLimit-Remaining'?: number;
          /** @description Seconds until the window ends. */
          readonly 'RateLimit-Reset'?: number;
          /** @description Seconds to wait before the same call. */
          readonly 'Retry-After'?: number;
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
      /** @description Internal error (`INTERNAL`) */
      readonly 500: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
      /** @description Test forks are not configured (`FORKS_NOT_CONFIGURED`) · Fork is not running (`FORK_NOT_RUNNING`) · Fork capacity reached (`FORK_CAPACITY`) · Funding failed (`FUNDING_FAILED`) · Service unavailable (`UPSTREAM_UNAVAILABLE`) */
      readonly 503: {
        headers: {
          /** @description Seconds to wait before the same call. */
          readonly 'Retry-After'?: number;
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
    };
  };
  readonly discover: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: {
        /** @description A payment for this request as x402 v2 writes it, in base64; only where payments are enforced. See the answer 402. */
        readonly 'PAYMENT-SIGNATURE'?: string;
        /** @description A key of a caller who need not pay, as the operator of the deployment gave it. */
        readonly 'X-Access-Key'?: string;
        /** @description The same under its older name, as x402 v1 or v2 writes it. One of the two is enough. */
        readonly 'X-PAYMENT'?: string;
      };
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['DiscoverRequest'];
      };
    };
    readonly responses: {
      /** @description The best vaults, best first. */
      readonly 200: {
        headers: {
          /** @description The receipt of a payment in PAYMENT-SIGNATURE, in base64. */
          readonly 'PAYMENT-RESPONSE'?: string;
          /** @description Requests allowed in a minute. */
          readonly 'RateLimit-Limit'?: number;
          /** @description Requests left in this window. */
          readonly 'RateLimit-Remaining'?: number;
          /** @description Seconds until the window ends. */
          readonly 'RateLimit-Reset'?: number;
          /** @description The receipt of a payment in X-PAYMENT, in base64. */
          readonly 'X-PAYMENT-RESPONSE'?: string;
          /** @description Id of the request, echoed or made. */
          readonly 'X-Request-Id'?: string;
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['DiscoverResponse'];
        };
      };
      /** @description Invalid request parameters (`INVALID_PARAMETERS`) · Chain is not active (`CHAIN_NOT_ACTIVE`) */
      readonly 400: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
      /** @description Payment required; only where payments are enforced. Sign one of the accepted terms (x402) and send the same request again with the payment in `PAYMENT-SIGNATURE` or `X-PAYMENT`. */
      readonly 402: {
        headers: {
          /** @description What to pay, as x402 v2 writes it, in base64. */
          readonly 'PAYMENT-REQUIRED'?: string;
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['PaymentRequired'];
        };
      };
      /** @description Payment is in use (`PAYMENT_IN_USE`) */
      readonly 409: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
      /** @description Request body too large (`BODY_TOO_LARGE`) */
      readonly 413: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
      /** @description Unsupported media type (`UNSUPPORTED_MEDIA_TYPE`) */
      readonly 415: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
      /** @description Rate limit exceeded (`RATE_LIMIT_EXCEEDED`) */
      readonly 429: {
        headers: {
          /** @description Requests allowed in a minute. */
          readonly 'RateLimit-Limit'?: number;
          /** @description Requests left in this window. */
          readonly 'RateLimit-Remaining'?: number;
          /** @description Seconds until the window ends. */
          readonly 'RateLimit-Reset'?: number;
          /** @description Seconds to wait before the same call. */
          readonly 'Retry-After'?: number;
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
      /** @description Internal error (`INTERNAL`) */
      readonly 500: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
      /** @description Market data is stale (`DATA_STALE`) · Service unavailable (`UPSTREAM_UNAVAILABLE`) */
      readonly 503: {
        headers: {
          /** @description Seconds to wait before the same call. */
          readonly 'Retry-After'?: number;
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
    };
  };
  readonly execute: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** @description The envelope of prepare and its signature; the example shows only their form. */
    readonly requestBody: {
      readonly content: {
        /**
         * @example {
         *       "intentEnvelope": {
         *         "version": "1",
         *         "intentId": "0x5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c",
         *         "chainId": 8453,
         *         "entryPoint": "0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108",
         *         "sender": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
         *         "userOps": [
         *           {
         *             "userOperation": {
         *               "sender": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
         *               "nonce": "0",
         *               "callData": "0x",
         *               "signature": "0x",
         *               "initCode": "0x",
         *               "callGasLimit": "400000",
         *               "verificationGasLimit": "150000",
         *               "preVerificationGas": "60000",
         *               "maxFeePerGas": "1000000000",
         *               "maxPriorityFeePerGas": "1000000",
         *               "paymasterAndData": "0x"
         *             },
         *             "validatorSig": "0x"
         *           }
         *         ],
         *         "destinationExecutions": [],
         *         "expiry": 1767225600,
         *         "validAfter": 0,
         *         "merkleRoot": "0x5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c",
         *         "proofs": [
         *           []
         *         ]
         *       },
         *       "intentSignature": "0x0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
         *     }
         */
        readonly 'application/json': components['schemas']['ExecuteRequest'];
      };
    };
    readonly responses: {
      /** @description The intent is on chain. */
      readonly 200: {
        headers: {
          /** @description Requests allowed in a minute. */
          readonly 'RateLimit-Limit'?: number;
          /** @description Requests left in this window. */
          readonly 'RateLimit-Remaining'?: number;
          /** @description Seconds until the window ends. */
          readonly 'RateLimit-Reset'?: number;
          /** @description Id of the request, echoed or made. */
          readonly 'X-Request-Id'?: string;
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['ExecuteResponse'];
        };
      };
      /** @description Invalid request parameters (`INVALID_PARAMETERS`) · Transaction validation failed (`TRANSACTION_VALIDATION_FAILED`) · Preflight simulation failed (`PREFLIGHT_SIMULATION_FAILED`) · Transaction submission failed (`TRANSACTION_SUBMISSION_FAILED`) · Intent cancelled (`INTENT_CANCELLED`) */
      readonly 400: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
      /** @description Request body too large (`BODY_TOO_LARGE`) */
      readonly 413: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
      /** @description Unsupported media type (`UNSUPPORTED_MEDIA_TYPE`) */
      readonly 415: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
      /** @description Rate limit exceeded (`RATE_LIMIT_EXCEEDED`) */
      readonly 429: {
        headers: {
          /** @description Requests allowed in a minute. */
          readonly 'RateLimit-Limit'?: number;
          /** @description Requests left in this window. */
          readonly 'RateLimit-Remaining'?: number;
          /** @description Seconds until the window ends. */
          readonly 'RateLimit-Reset'?: number;
          /** @description Seconds to wait before the same call. */
          readonly 'Retry-After'?: number;
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
      /** @description Internal error (`INTERNAL`) */
      readonly 500: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
      /** @description Transaction submission failed (`TRANSACTION_SUBMISSION_FAILED`) · Transaction is pending (`TRANSACTION_PENDING`) · Test forks are not configured (`FORKS_NOT_CONFIGURED`) · Fork is not running (`FORK_NOT_RUNNING`) · Fork capacity reached (`FORK_CAPACITY`) · Market data is stale (`DATA_STALE`) · Service unavailable (`UPSTREAM_UNAVAILABLE`) */
      readonly 503: {
        headers: {
          /** @description Seconds to wait before the same call. */
          readonly 'Retry-After'?: number;
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
    };
  };
  readonly history: {
    readonly parameters: {
      readonly query: {
        /** @description How far back. */
        readonly period?: '1h' | '24h' | '7d' | '30d' | '90d';
        /** @description Width of a point. Left out: hourly for 1h, 24h and 7d, daily for 30d and 90d. */
        readonly resolution?: 'hourly' | 'daily';
        /** @description Id of the vault, from discover. */
        readonly vaultId: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The time series and its summary. */
      readonly 200: {
        headers: {
          /** @description Requests allowed in a minute. */
          readonly 'RateLimit-Limit'?: number;
          /** @description Requests left in this window. */
          readonly 'RateLimit-Remaining'?: number;
          /** @description Seconds until the window ends. */
          readonly 'RateLimit-Reset'?: number;
          /** @description Id of the request, echoed or made. */
          readonly 'X-Request-Id'?: string;
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['HistoryResponse'];
        };
      };
      /** @description Invalid request parameters (`INVALID_PARAMETERS`) · Unknown vault (`UNKNOWN_VAULT`) */
      readonly 400: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
      /** @description Rate limit exceeded (`RATE_LIMIT_EXCEEDED`) */
      readonly 429: {
        headers: {
          /** @description Requests allowed in a minute. */
          readonly 'RateLimit-Limit'?: number;
          /** @description Requests left in this window. */
          readonly 'RateLimit-Remaining'?: number;
          /** @description Seconds until the window ends. */
          readonly 'RateLimit-Reset'?: number;
          /** @description Seconds to wait before the same call. */
          readonly 'Retry-After'?: number;
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
      /** @description Internal error (`INTERNAL`) */
      readonly 500: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
      /** @description Market data is stale (`DATA_STALE`) · Service unavailable (`UPSTREAM_UNAVAILABLE`) */
      readonly 503: {
        headers: {
          /** @description Seconds to wait before the same call. */
          readonly 'Retry-After'?: number;
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
    };
  };
  readonly prepare: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: {
        /** @description A payment for this request as x402 v2 writes it, in base64; only where payments are enforced. See the answer 402. */
        readonly 'PAYMENT-SIGNATURE'?: string;
        /** @description A key of a caller who need not pay, as the operator of the deployment gave it. */
        readonly 'X-Access-Key'?: string;
        /** @description The same under its older name, as x402 v1 or v2 writes it. One of the two is enough. */
        readonly 'X-PAYMENT'?: string;
      };
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['PrepareRequest'];
      };
    };
    readonly responses: {
      /** @description The setup to sign, or the intent to sign. */
      readonly 200: {
        headers: {
          /** @description The receipt of a payment in PAYMENT-SIGNATURE, in base64. */
          readonly 'PAYMENT-RESPONSE'?: string;
          /** @description Requests allowed in a minute. */
          readonly 'RateLimit-Limit'?: number;
          /** @description Requests left in this window. */
          readonly 'RateLimit-Remaining'?: number;
          /** @description Seconds until the window ends. */
          readonly 'RateLimit-Reset'?: number;
          /** @description The receipt of a payment in X-PAYMENT, in base64. */
          readonly 'X-PAYMENT-RESPONSE'?: string;
          /** @description Id of the request, echoed or made. */
          readonly 'X-Request-Id'?: string;
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json':
            | components['schemas']['PrepareSetupResponse']
            | components['schemas']['PrepareDepositResponse']
            | components['schemas']['PrepareRedeemResponse']
            | components['schemas']['PrepareRebalanceResponse'];
        };
      };
      /** @description Invalid request parameters (`INVALID_PARAMETERS`) · Chain is not active (`CHAIN_NOT_ACTIVE`) · Unknown vault (`UNKNOWN_VAULT`) · Asset does not match the vault (`ASSET_MISMATCH`) · Vault is at capacity (`VAULT_AT_CAPACITY`) · Insufficient balance (`INSUFFICIENT_BALANCE`) · No suitable vaults found (`NO_SUITABLE_VAULTS`) · Preflight simulation failed (`PREFLIGHT_SIMULATION_FAILED`) · Transaction submission failed (`TRANSACTION_SUBMISSION_FAILED`) */
      readonly 400: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
      /** @description Payment required; only where payments are enforced. Sign one of the accepted terms (x402) and send the same request again with the payment in `PAYMENT-SIGNATURE` or `X-PAYMENT`. */
      readonly 402: {
        headers: {
          /** @description What to pay, as x402 v2 writes it, in base64. */
          readonly 'PAYMENT-REQUIRED'?: string;
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['PaymentRequired'];
        };
      };
      /** @description Payment is in use (`PAYMENT_IN_USE`) */
      readonly 409: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
      /** @description Request body too large (`BODY_TOO_LARGE`) */
      readonly 413: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
      /** @description Unsupported media type (`UNSUPPORTED_MEDIA_TYPE`) */
      readonly 415: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
      /** @description Rate limit exceeded (`RATE_LIMIT_EXCEEDED`) */
      readonly 429: {
        headers: {
          /** @description Requests allowed in a minute. */
          readonly 'RateLimit-Limit'?: number;
          /** @description Requests left in this window. */
          readonly 'RateLimit-Remaining'?: number;
          /** @description Seconds until the window ends. */
          readonly 'RateLimit-Reset'?: number;
          /** @description Seconds to wait before the same call. */
          readonly 'Retry-After'?: number;
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
      /** @description Internal error (`INTERNAL`) */
      readonly 500: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
      /** @description Transaction submission failed (`TRANSACTION_SUBMISSION_FAILED`) · Test forks are not configured (`FORKS_NOT_CONFIGURED`) · Market data is stale (`DATA_STALE`) · Service unavailable (`UPSTREAM_UNAVAILABLE`) */
      readonly 503: {
        headers: {
          /** @description Seconds to wait before the same call. */
          readonly 'Retry-After'?: number;
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
    };
  };
  readonly relay: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** @description The ticket of prepare and the signed transaction; the example shows only their form. */
    readonly requestBody: {
      readonly content: {
        /**
         * @example {
         *       "setupTicket": {
         *         "version": 1,
         *         "walletAddress": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
         *         "chainId": 8453,
         *         "implementation": "0x06810413076729dcf73bBCd17E36EFd7E92FD7d6",
         *         "initCalldataHash": "0x5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c",
         *         "setupType": "full",
         *         "expiresAt": "2026-01-01T12:00:00.000Z"
         *       },
         *       "signedRawTx": "0x04",
         *       "confirmations": 2
         *     }
         */
        readonly 'application/json': components['schemas']['SetupRelayRequest'];
      };
    };
    readonly responses: {
      /** @description The wallet is set up. */
      readonly 200: {
        headers: {
          /** @description Requests allowed in a minute. */
          readonly 'RateLimit-Limit'?: number;
          /** @description Requests left in this window. */
          readonly 'RateLimit-Remaining'?: number;
          /** @description Seconds until the window ends. */
          readonly 'RateLimit-Reset'?: number;
          /** @description Id of the request, echoed or made. */
          readonly 'X-Request-Id'?: string;
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['SetupRelayResponse'];
        };
      };
      /** @description Invalid request parameters (`INVALID_PARAMETERS`) · Setup ticket rejected (`SETUP_TICKET_REJECTED`) · Setup transaction rejected (`SETUP_TRANSACTION_REJECTED`) · Setup transaction reverted (`SETUP_TRANSACTION_REVERTED`) */
      readonly 400: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
      /** @description Request body too large (`BODY_TOO_LARGE`) */
      readonly 413: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
      /** @description Unsupported media type (`UNSUPPORTED_MEDIA_TYPE`) */
      readonly 415: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
      /** @description Rate limit exceeded (`RATE_LIMIT_EXCEEDED`) */
      readonly 429: {
        headers: {
          /** @description Requests allowed in a minute. */
          readonly 'RateLimit-Limit'?: number;
          /** @description Requests left in this window. */
          readonly 'RateLimit-Remaining'?: number;
          /** @description Seconds until the window ends. */
          readonly 'RateLimit-Reset'?: number;
          /** @description Seconds to wait before the same call. */
          readonly 'Retry-After'?: number;
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
      /** @description Internal error (`INTERNAL`) */
      readonly 500: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
      /** @description Test forks are not configured (`FORKS_NOT_CONFIGURED`) · Fork is not running (`FORK_NOT_RUNNING`) · Fork capacity reached (`FORK_CAPACITY`) · Transaction is pending (`TRANSACTION_PENDING`) · Service unavailable (`UPSTREAM_UNAVAILABLE`) */
      readonly 503: {
        headers: {
          /** @description Seconds to wait before the same call. */
          readonly 'Retry-After'?: number;
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
    };
  };
  readonly status: {
    readonly parameters: {
      readonly query: {
        /** @description The wallet to look at. */
        readonly userAddress: `0x${string}`;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The portfolio. */
      readonly 200: {
        headers: {
          /** @description Requests allowed in a minute. */
          readonly 'RateLimit-Limit'?: number;
          /** @description Requests left in this window. */
          readonly 'RateLimit-Remaining'?: number;
          /** @description Seconds until the window ends. */
          readonly 'RateLimit-Reset'?: number;
          /** @description Id of the request, echoed or made. */
          readonly 'X-Request-Id'?: string;
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['StatusResponse'];
        };
      };
      /** @description Invalid request parameters (`INVALID_PARAMETERS`) */
      readonly 400: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
      /** @description Rate limit exceeded (`RATE_LIMIT_EXCEEDED`) */
      readonly 429: {
        headers: {
          /** @description Requests allowed in a minute. */
          readonly 'RateLimit-Limit'?: number;
          /** @description Requests left in this window. */
          readonly 'RateLimit-Remaining'?: number;
          /** @description Seconds until the window ends. */
          readonly 'RateLimit-Reset'?: number;
          /** @description Seconds to wait before the same call. */
          readonly 'Retry-After'?: number;
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
      /** @description Internal error (`INTERNAL`) */
      readonly 500: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
      /** @description Test forks are not configured (`FORKS_NOT_CONFIGURED`) · Market data is stale (`DATA_STALE`) · Service unavailable (`UPSTREAM_UNAVAILABLE`) */
      readonly 503: {
        headers: {
          /** @description Seconds to wait before the same call. */
          readonly 'Retry-After'?: number;
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
    };
  };
  readonly listVaults: {
    readonly parameters: {
      readonly query?: {
        /** @description Symbol of the underlying asset, in any case. Left out: all assets. */
        readonly asset?: string;
        /** @description Key of an active chain. Left out: every active chain. */
        readonly chain?: string;
        /** @description `nextCursor` of the page before, with the same filters. Left out: the first page. */
        readonly cursor?: string;
        /** @description Vaults on a page at most. */
        readonly limit?: number;
        /** @description Only vaults that discover may name (true), or only the others (false). Left out: both. */
        readonly listed?: boolean;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description A page of the catalogue. */
      readonly 200: {
        headers: {
          /** @description Requests allowed in a minute. */
          readonly 'RateLimit-Limit'?: number;
          /** @description Requests left in this window. */
          readonly 'RateLimit-Remaining'?: number;
          /** @description Seconds until the window ends. */
          readonly 'RateLimit-Reset'?: number;
          /** @description Id of the request, echoed or made. */
          readonly 'X-Request-Id'?: string;
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['VaultListResponse'];
        };
      };
      /** @description Invalid request parameters (`INVALID_PARAMETERS`) · Chain is not active (`CHAIN_NOT_ACTIVE`) */
      readonly 400: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
      /** @description Rate limit exceeded (`RATE_LIMIT_EXCEEDED`) */
      readonly 429: {
        headers: {
          /** @description Requests allowed in a minute. */
          readonly 'RateLimit-Limit'?: number;
          /** @description Requests left in this window. */
          readonly 'RateLimit-Remaining'?: number;
          /** @description Seconds until the window ends. */
          readonly 'RateLimit-Reset'?: number;
          /** @description Seconds to wait before the same call. */
          readonly 'Retry-After'?: number;
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
      /** @description Internal error (`INTERNAL`) */
      readonly 500: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
      /** @description Market data is stale (`DATA_STALE`) · Service unavailable (`UPSTREAM_UNAVAILABLE`) */
      readonly 503: {
        headers: {
          /** @description Seconds to wait before the same call. */
          readonly 'Retry-After'?: number;
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
    };
  };
  readonly explainVault: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description Id of the vault, from discover or the list. */
        readonly vaultId: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The vault and how its numbers came about. */
      readonly 200: {
        headers: {
          /** @description Requests allowed in a minute. */
          readonly 'RateLimit-Limit'?: number;
          /** @description Requests left in this window. */
          readonly 'RateLimit-Remaining'?: number;
          /** @description Seconds until the window ends. */
          readonly 'RateLimit-Reset'?: number;
          /** @description Id of the request, echoed or made. */
          readonly 'X-Request-Id'?: string;
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['VaultReport'];
        };
      };
      /** @description Invalid request parameters (`INVALID_PARAMETERS`) · Unknown vault (`UNKNOWN_VAULT`) */
      readonly 400: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
      /** @description Rate limit exceeded (`RATE_LIMIT_EXCEEDED`) */
      readonly 429: {
        headers: {
          /** @description Requests allowed in a minute. */
          readonly 'RateLimit-Limit'?: number;
          /** @description Requests left in this window. */
          readonly 'RateLimit-Remaining'?: number;
          /** @description Seconds until the window ends. */
          readonly 'RateLimit-Reset'?: number;
          /** @description Seconds to wait before the same call. */
          readonly 'Retry-After'?: number;
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
      /** @description Internal error (`INTERNAL`) */
      readonly 500: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
      /** @description Market data is stale (`DATA_STALE`) · Service unavailable (`UPSTREAM_UNAVAILABLE`) */
      readonly 503: {
        headers: {
          /** @description Seconds to wait before the same call. */
          readonly 'Retry-After'?: number;
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Error'];
        };
      };
    };
  };
}
