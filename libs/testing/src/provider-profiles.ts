import { bundlerProfiles, type BundlerProfile } from './start-fake-bundler.js';

/** How a provider refuses a call. */
export interface Refusal {
  /** HTTP status, where the whole request is refused. */
  readonly status: number;
  readonly code: number;
  readonly message: string;
}

/** What a provider allows, and how it refuses the rest. Data, so that the same test runs behind each. */
export interface ProviderProfile {
  readonly bundler: BundlerProfile;
  readonly latencyMs: number;
  /** Each call of a batch counts. */
  readonly callsPerSecond: number;
  /** A pause saves the calls of so many seconds. */
  readonly burstSeconds: number;
  readonly tooFast: Refusal;
  readonly batchSize: number;
  readonly tooManyCalls: Refusal;
  /** Most blocks of one log query. */
  readonly logBlocks: number;
  readonly tooManyBlocks: Refusal;
  /** Blocks whose state is kept. */
  readonly stateBlocks: number;
  readonly missingState: Refusal;
  /** What a node that lags by a block says about the newest one. */
  readonly unknownBlock: Refusal;
  readonly lacks: readonly string[];
  readonly unknownMethod: (method: string) => Refusal;
}

const refusal = (status: number, code: number, message: string): Refusal => ({ status, code, message });

// Words of Geth: github.com/ethereum/go-ethereum/issues/20874 (it keeps 128 states), and core/filters of its source.
const geth = {
  latencyMs: 50,
  batchSize: 1_000,
  tooManyCalls: refusal(200, -32600, 'batch too large'),
  stateBlocks: Infinity,
  missingState: refusal(200, -32000, 'missing trie node 8b1604e0 (path )'),
  unknownBlock: refusal(200, -32000, 'header not found'),
  lacks: [],
  unknownMethod: (method) => refusal(200, -32601, `the method ${method} does not exist/is not available`),
} satisfies Partial<ProviderProfile>;

/** Providers of nodes and bundlers as their documents and their users' reports show them. */
export const providerProfiles = {
  // The free plan. docs/reference/throughput: 500 units a second, saved for ten seconds, eth_call takes 26; then HTTP 429.
  // docs/chains/…/eth-get-logs: 10 blocks on the free plan. Code and words: github.com/BobTheBuidler/dank_mids/issues/772.
  // docs/reference/batch-requests: 1,000 calls.
  alchemy: {
    ...geth,
    bundler: bundlerProfiles.alchemy,
    callsPerSecond: 20,
    burstSeconds: 10,
    tooFast: refusal(429, 429, 'Your app has exceeded its compute units per second capacity.'),
    logBlocks: 10,
    tooManyBlocks: refusal(
      400,
      -32600,
      'Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range. Based on your parameters, this block range should work: [0x1, 0xa]',
    ),
    unknownMethod: (method) => refusal(400, -32600, `Unsupported method: ${method}`),
  },
  // Its bundler is Alto. It sells no nodes, so the node is one of a paid plan elsewhere (INFURA/infura#237).
  pimlico: {
    ...geth,
    bundler: bundlerProfiles.alto,
    callsPerSecond: 50,
    burstSeconds: 1,
    tooFast: refusal(429, -32005, 'exceeded project rate limit'),
    logBlocks: 10_000,
    tooManyBlocks: refusal(200, -32602, 'range 1000000 exceeds limit of 10000'),
  },
  // The free trial. docs/ethereum/eth_getLogs: 5 blocks; words: github.com/OffchainLabs/arbitrum-sdk/issues/609.
  // Support article 12002099702289: the calls of a batch count, and those over the limit fail alone.
  quicknode: {
    ...geth,
    bundler: bundlerProfiles.gateway,
    callsPerSecond: 15,
    burstSeconds: 1,
    tooFast: refusal(429, -32007, '15/second request limit reached - reduce calls per second'),
    logBlocks: 5,
    tooManyBlocks: refusal(413, -32614, 'eth_getLogs is limited to a 5 range'),
  },
  // Public nodes of the OP stack. ethereum-optimism/docs#340: batches of 10, 300 calls a minute; base/node#390: code and words of the
  // limit; base/node#399: no eth_simulateV1. Without archive, as Geth's default.
  public: {
    ...geth,
    bundler: bundlerProfiles.alto,
    callsPerSecond: 5,
    burstSeconds: 60,
    tooFast: refusal(429, -32016, 'over rate limit'),
    batchSize: 10,
    tooManyCalls: refusal(400, -32014, 'too many RPC calls in batch request'),
    logBlocks: 1_000,
    tooManyBlocks: refusal(200, -32000, 'eth_getLogs is limited to a 1000 blocks range'),
    stateBlocks: 128,
    lacks: ['eth_simulateV1'],
  },
} as const satisfies Record<string, ProviderProfile>;

export type ProviderName = keyof typeof providerProfiles;
