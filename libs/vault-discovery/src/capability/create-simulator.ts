import { asUpstreamError } from '@yield-vault/chains';
import { isViemError, type LoggerPort } from '@yield-vault/protocol';
import { randomBytes, randomInt } from 'node:crypto';
import {
  type Address,
  type Block,
  getAddress,
  type Hex,
  numberToHex,
  type PublicClient,
  type StateOverride,
  toHex,
} from 'viem';

/** Seconds between simulated blocks: a slot of Ethereum. */
export const secondsPerBlock = 12n;

/** Runs calls at one block with overridden state. */
export interface Simulator {
  /** A random address that has code and assets only inside of these calls. */
  readonly holder: Address;
  /** @returns undefined when the node refuses the call */
  readonly run: (call: {
    readonly to: Address;
    readonly data: Hex;
    readonly stateOverride?: StateOverride;
    /** `readGasLimit` by default. */
    readonly gas?: bigint;
  }) => Promise<Hex | undefined>;
}

/** Also runs calls over several blocks. */
export interface BlockSimulator extends Simulator {
  /**
   * Run calls in blocks that follow each other. Overrides of a block stay.
   *
   * @returns what each call returned or reverted with; undefined when the node cannot run it
   */
  readonly runBlocks: (
    blocks: readonly {
      /** Seconds after the block of the simulator. */
      readonly after: bigint;
      /** By default from a random address with `readGasLimit`. */
      readonly calls: readonly {
        readonly to: Address;
        readonly data: Hex;
        readonly account?: Address;
        readonly gas?: bigint;
      }[];
      readonly stateOverrides?: StateOverride;
    }[],
  ) => Promise<readonly { readonly status: 'success' | 'failure'; readonly data: Hex }[] | undefined>;
}

export interface SimulatorDeps {
  /** Key of the chain, for errors and logs. */
  readonly chain: string;
  readonly rpc: PublicClient;
  /** Gas limit of one simulated call. */
  readonly readGasLimit: number;
  readonly logger: LoggerPort;
}

/** A token and where it keeps the balance of the simulated holder. */
export interface TokenSlot {
  readonly address: Address;
  readonly balanceSlot: Hex;
}

/** Give a balance of a token to the simulated holder. */
export const withBalance = ({ address, balanceSlot }: TokenSlot, balance: bigint) => ({
  address,
  stateDiff: [{ slot: balanceSlot, value: numberToHex(balance, { size: 32 }) }],
});

/**
 * Create the simulator of a chain: for a block, by default the newest. All of them have the same holder. What the node
 * refuses is logged once.
 *
 * @throws {UpstreamUnavailableError} from each simulation when the node does not respond
 */
export function createSimulator({ chain, rpc, readGasLimit, logger }: SimulatorDeps) {
  // Random, because a vault could treat known addresses better.
  const [holder, sender] = [randomAddress(), randomAddress()];
  const gas = BigInt(readGasLimit);
  const logged = new Set<string>();

  const unlessRefused = async <T>(what: string, simulation: Promise<T>): Promise<T | undefined> => {
    try {
      return await simulation;
    } catch (error) {
      const outage = asUpstreamError(error, `rpc:${chain}`);
      if (outage) throw outage;
      // The full message contains the whole request.
      const reason = isViemError(error) ? error.shortMessage : String(error);
      if (!logged.has(what)) logger.warn({ chain, reason }, `the node refused to simulate ${what}`);
      logged.add(what);
      return undefined;
    }
  };

  return (blockNumber?: bigint): BlockSimulator => {
    let start: Promise<Block> | undefined;
    /** Fees as in a real block: a vault could pay only where gas is free. Nodes refuse prices below the base fee. */
    const priced = async () => {
      const { number, timestamp, baseFeePerGas } = await (start ??= rpc.getBlock({ blockNumber }));
      const baseFee = baseFeePerGas ?? 0n;
      const gasPrice = 2n * baseFee + BigInt(randomInt(1, 1_000_000));
      return { number: number!, timestamp, baseFeePerGas: baseFee, gasPrice };
    };
    const simulate = async ({ stateOverride = [], ...call }: Parameters<Simulator['run']>[0]) => {
      const { gasPrice } = await priced();
      const request = { gas, ...call, gasPrice, account: sender, blockNumber };
      return rpc.call({ ...request, stateOverride: [...stateOverride, payer(sender, gasPrice)] });
    };
    const simulateBlocks = async (blocks: Parameters<BlockSimulator['runBlocks']>[0]) => {
      const { number, timestamp, gasPrice, ...overrides } = await priced();
      const simulated = await rpc.simulateBlocks({
        blockNumber: number,
        // Without it, nodes report a base fee of 0.
        validation: true,
        blocks: blocks.map(({ after, calls, stateOverrides = [] }, index) => {
          const payers = new Set(calls.map(({ account = sender }) => account));
          return {
            blockOverrides: { ...overrides, number: number + BigInt(index + 1), time: timestamp + after },
            calls: calls.map((call) => ({ account: sender, gas, gasPrice, ...call })),
            stateOverrides: [...stateOverrides, ...[...payers].map((account) => payer(account, gasPrice))],
          };
        }),
      });
      return simulated.flatMap(({ calls }) => calls);
    };
    return {
      holder,
      run: async (call) => (await unlessRefused('a deposit or redeem', simulate(call)))?.data,
      runBlocks: (blocks) => unlessRefused('several blocks', simulateBlocks(blocks)),
    };
  };
}

/** Give an account the price of more gas than any simulation may use. */
const payer = (address: Address, gasPrice: bigint) => ({ address, balance: gasPrice * 100_000_000n });

/** An address that no contract can know in advance. */
const randomAddress = () => getAddress(toHex(randomBytes(20)));
