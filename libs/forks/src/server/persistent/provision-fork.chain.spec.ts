import {
  chainFacts,
  contractAddresses,
  entryPointV08Abi,
  inspectContracts,
  localContracts,
  usdcPaymasterAbi,
  walletContracts,
} from '@yield-vault/contracts';
import {
  localCirclePaymasterDeployedBytecode,
  localOperator,
  localUsdcDeployedBytecode,
} from '@yield-vault/testing/local';
import { ForkNotRunningError } from '@yield-vault/protocol';
import { startAnvil, type Anvil } from '@yield-vault/testing';
import {
  concatHex,
  createTestClient,
  encodeAbiParameters,
  http,
  numberToHex,
  pad,
  parseEther,
  size,
  type Address,
  type Hex,
} from 'viem';
import { buildForkChain } from '../../../test/support/build-fork-chain.js';
import { recordingLogger } from '../../../test/support/recording-logger.js';
import { createAnvilLauncher, type AnvilLauncher } from '../fork/create-anvil-launcher.js';
import { createFunder } from '../fork/create-funder.js';
import type { AnvilFork } from '../fork/create-anvil-fork.js';
import { createViemClient } from '../fork/viem-clients.js';
import type { ForkChain } from '../../types.js';
import { provisionFork } from './provision-fork.js';

const usdc = chainFacts(8453).usdc.address;
const feed = chainFacts(8453).wrappedNative.price.feed;
const ethUsd = 2_345_00000000n;
const owner: Address = '0x0000000000000000000000000000000000000a9e';
const bundler: Address = '0x00000000000000000000000000000000000b0b00';

/** Code that answers every call with one round. */
const feedOf = (answer: bigint, startedAt: bigint, updatedAt: bigint): Hex => {
  const types = [
    { type: 'uint80' },
    { type: 'int256' },
    { type: 'uint256' },
    { type: 'uint256' },
    { type: 'uint80' },
  ];
  const round = encodeAbiParameters(types, [7n, answer, startedAt, updatedAt, 7n]);
  return concatHex(['0x61', numberToHex(size(round), { size: 2 }), '0x80600a5f395ff3', round]);
};

// A chain of its own, as real ones are: USDC and feeds whose rounds age, nothing of ours.
describe('provisionFork', () => {
  let upstream: Anvil;
  let launcher: AnvilLauncher;
  let fork: AnvilFork;

  beforeAll(async () => {
    upstream = await startAnvil({ chainId: 8453 });
    const node = createTestClient({ mode: 'anvil', transport: http(upstream.rpcUrl) });
    await node.setCode({ address: usdc, bytecode: localUsdcDeployedBytecode });
    for (const index of [0, 1, 2, 8]) {
      await node.setStorageAt({ address: usdc, index, value: pad(localOperator) });
    }
    const now = BigInt(Math.floor(Date.now() / 1000));
    const { usdc: priced, sequencerFeed } = chainFacts(8453);
    await node.setCode({ address: feed, bytecode: feedOf(ethUsd, now, now) });
    await node.setCode({ address: priced.price.feed, bytecode: feedOf(10n ** 8n, now, now) });
    await node.setCode({ address: sequencerFeed!, bytecode: feedOf(0n, 1_000n, 1_000n) });
    launcher = createAnvilLauncher({ logger: recordingLogger() });
  });
  beforeEach(async () => {
    fork = await launcher.launch(chain(), { id: 'new' });
  });
  afterEach(() => fork.destroy());
  afterAll(async () => {
    await launcher.close();
    await upstream.stop();
  });

  const chain = (overrides: Partial<ForkChain> = {}): ForkChain =>
    buildForkChain({ upstreamUrls: [upstream.rpcUrl], bundlerAccounts: [bundler], ...overrides });
  const provision = (on: ForkChain): Promise<void> => provisionFork(fork, on, createFunder(fork, on));

  it.each<[string, Partial<ForkChain>]>([
    ['the local owner', {}],
    [
      'an owner of its own',
      { contracts: { ...contractAddresses(8453, { owner }), paymasterRoles: { owner } } },
    ],
  ])('default: provisions a bare chain, with %s', async (_, overrides) => {
    const on = chain(overrides);
    await provision(on);
    const reader = createViemClient(fork);
    const inspected = await inspectContracts(reader, on.contracts);
    expect(inspected.map(({ status }) => status)).toEqual(Array(6).fill('ok'));
    expect(await reader.getBalance({ address: bundler })).toBe(parseEther('1000'));
    const info = await reader.readContract({
      address: on.entryPoint,
      abi: entryPointV08Abi,
      functionName: 'getDepositInfo',
      args: [on.contracts.paymaster],
    });
    expect(info).toMatchObject({ deposit: parseEther('100'), staked: true, stake: parseEther('10') });
    expect(await createFunder(fork, on)({ address: on.contracts.paymaster })).toMatchObject({
      usdcBaseUnits: 1_000_000n,
    });
  });

  it('behavior: the price of the chain is repeated, and stays fresh', async () => {
    await provision(chain());
    await fork.request('evm_increaseTime', [30 * 86_400]);
    await fork.mine(1);
    const reader = createViemClient(fork);
    const [rate, validUntil] = await reader.readContract({
      address: localContracts(8453).paymaster,
      abi: usdcPaymasterAbi,
      functionName: 'tokenPerNative',
    });
    // Six decimals, and a markup of 5 %.
    expect(rate).toBe((ethUsd * 105n) / 10_000n);
    expect(BigInt(validUntil)).toBeGreaterThan((await reader.getBlock()).timestamp);
  });

  it('error: ForkNotRunningError when the feeds have no usable price', async () => {
    await fork.request('anvil_setCode', [feed, feedOf(ethUsd, 1_000n, 1_000n)]);
    await expect(provision(chain())).rejects.toThrow(ForkNotRunningError);
  });

  it('behavior: for the paymaster of others the rest is deployed, and it gets a deposit', async () => {
    const paymaster = chainFacts(8453).circlePaymaster!;
    const on = chain({ contracts: { ...walletContracts, paymaster }, paymaster: 'other' });
    await expect(provision(on)).rejects.toMatchObject({ details: { contracts: { paymaster: 'missing' } } });
    await fork.request('anvil_setCode', [paymaster, localCirclePaymasterDeployedBytecode]);
    await provision(on);
    const reader = createViemClient(fork);
    const inspected = await inspectContracts(reader, on.contracts, { paymaster: 'other' });
    expect(inspected.map(({ status }) => status)).toEqual(Array(6).fill('ok'));
    const info = await reader.readContract({
      address: on.entryPoint,
      abi: entryPointV08Abi,
      functionName: 'getDepositInfo',
      args: [paymaster],
    });
    expect(info).toMatchObject({ deposit: parseEther('100'), staked: false });
  });

  it('behavior: existing contracts are unchanged', async () => {
    await provision(chain());
    const before = await fork.request('eth_blockNumber');
    await provision(chain());
    expect(await fork.request('eth_blockNumber')).toBe(before);
  });

  it('error: ForkNotRunningError when the contracts are missing and nothing says how to deploy them', async () => {
    const failing = provision(chain({ contracts: localContracts(8453) }));
    await expect(failing).rejects.toThrow(ForkNotRunningError);
    await expect(failing).rejects.toMatchObject({
      retryable: false,
      details: { contracts: { account: 'missing', paymaster: 'missing' } },
    });
  });

  it('error: ForkNotRunningError when other code stands where a contract should', async () => {
    await provision(chain());
    await fork.request('anvil_setCode', [walletContracts.executor, '0x00']);
    await expect(provision(chain())).rejects.toMatchObject({
      retryable: false,
      details: { contracts: { executor: 'mismatch' } },
    });
  });
});
