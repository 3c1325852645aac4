import { canonical, localContracts } from '@yield-vault/contracts';
import { setUpWallet, type DevnetChain } from '@yield-vault/devnet';
import { createSimulator } from '@yield-vault/forks/preflight';
import { fromWireUserOperation, userOperationHash, type UserOperation } from '@yield-vault/protocol';
import { encodeAccountCall, encodeIntentSignature } from '@yield-vault/smart-account';
import { buildIntentEnvelope, startAnvil } from '@yield-vault/testing';
import { localAddresses } from '@yield-vault/testing/local';
import {
  createTestClient,
  encodeFunctionData,
  http,
  numberToHex,
  parseEventLogs,
  publicActions,
  type Address,
  type Log,
} from 'viem';
import { entryPoint08Abi, toPackedUserOperation } from 'viem/account-abstraction';
import { atMost, benchmark, goal, measure, ratio, timed } from '../harness.js';
import { startLatencyProxy } from '../latency-proxy.js';
import { newWallet, startBase, steadyVaults } from '../service.js';

const most = { roundTrips: 1.25, localMs: 15 };
const mostAtOnce = 64;
const { entryPointV08: entryPoint } = canonical;
/** Every Anvil funds it. */
const sender: Address = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';

export const preflight = benchmark({
  description: 'time of simulating a user operation, beside a fork for each simulation',
  options: { latency: 50, n: 40, naive: 8 },
  run: async ({ latency, n, naive }, defer) => {
    const local = await startBase(defer, { bundlers: false });
    const operation = await signDeposit(local);
    const node = createTestClient({ mode: 'anvil', transport: http(local.rpcUrl) }).extend(publicActions);
    // The server's health probe polls it.
    const newest = await node.getBlock();
    const simulatorOf = async (url: string) => {
      const simulator = createSimulator({
        chains: [
          {
            ...{ key: 'base', chainId: 8453, upstreamUrls: [url], opStack: true, bundlerAccounts: [] },
            ...{ entryPoint, contracts: localContracts, paymaster: 'own' },
            usdc: { address: canonical.usdc[8453] },
          },
        ],
        limits: { concurrency: mostAtOnce, queueLimit: 1_000, deadlineMs: 30_000 },
        newestBlock: () => newest,
        logger: { info() {}, warn() {}, error() {} },
      });
      defer(() => simulator.close());
      await simulator.probe();
      const userOpHash = userOperationHash(operation, entryPoint, 8453);
      return async () => {
        const simulated = await simulator.simulate({ chain: 'base', operation, userOpHash });
        if (!simulated.success) throw new Error(`The simulation failed: ${simulated.revertReason}`);
      };
    };

    const proxy = await startLatencyProxy(local.rpcUrl, latency, defer);
    const observe = (run: () => Promise<unknown>, before?: () => Promise<void>) => async () => {
      await before?.();
      proxy.takeTrips();
      const { ms } = await timed(run);
      return { ms, requests: proxy.takeTrips().length };
    };
    const mine = () => node.mine({ blocks: 1 });
    const [distant, near] = [await simulatorOf(proxy.url), await simulatorOf(local.rpcUrl)];
    const { trip, same, fresh, oneMachine } = await measure(
      {
        trip: observe(() => rpcCall(proxy.url, 'eth_blockNumber', [])),
        same: observe(distant, distant),
        fresh: observe(distant, mine),
        oneMachine: observe(near, mine),
      },
      { rounds: n },
    );
    const fork = (url: string) => () => simulateOnFork(url, operation);
    const forks = await measure(
      { distant: observe(fork(proxy.url)), near: observe(fork(local.rpcUrl)) },
      { rounds: naive, warmUps: 0 },
    );
    const cells = ({ ms, requests }: typeof trip) => ({ 'median (ms)': ms, requests });
    const besideTrip = (ours: typeof trip) => {
      const trips = ratio(ours.ms, trip.ms);
      const isMet = trips <= most.roundTrips && ours.requests.every((count) => count === 1);
      return { ...cells(ours), 'round trips': trips, ...goal(`1 request, <= ${most.roundTrips}x`, isMet) };
    };
    return {
      [`one round trip, +${latency} ms`]: cells(trip),
      [`same block, +${latency} ms`]: besideTrip(same),
      [`new block, +${latency} ms`]: besideTrip(fresh),
      [`naive fork, +${latency} ms`]: cells(forks.distant),
      'one machine': {
        ...{ 'median (ms)': oneMachine.ms, 'per second': await fastest([4, 16, mostAtOnce], near) },
        ...atMost(most.localMs, oneMachine.ms),
      },
      'naive fork, one machine': {
        ...{ 'median (ms)': forks.near.ms, 'per second': await fastest([1, 2, 4], fork(local.rpcUrl)) },
      },
    };
  },
});

/** Set a wallet up and sign its first deposit, its gas paid in USDC. */
async function signDeposit(local: DevnetChain): Promise<UserOperation> {
  const wallet = await newWallet(local);
  await setUpWallet(local, wallet);
  const { validator, paymaster } = localContracts;
  const { expiry, validAfter, userOps, signing } = buildIntentEnvelope({
    validator,
    operation: {
      sender: wallet.address,
      callData: encodeAccountCall([
        {
          hook: 'deposit',
          vault: steadyVaults[0]!.address,
          token: localAddresses[8453].usdc,
          amount: 25_000_000n,
          minShares: 1n,
        },
      ]),
      // Generous: this benchmark does not measure the bundler's estimate.
      callGasLimit: 600_000n,
      verificationGasLimit: 300_000n,
      paymaster,
      paymasterVerificationGasLimit: 200_000n,
      paymasterPostOpGasLimit: 150_000n,
      paymasterData: '0x',
    },
  });
  const message = { ...signing.message, chainId: BigInt(signing.message.chainId) };
  const signature = await wallet.signTypedData({ ...signing, message });
  return {
    ...fromWireUserOperation(userOps[0]!.userOperation),
    signature: encodeIntentSignature({ expiry, validAfter, signature, proof: [] }),
  };
}

/** The obvious way: a fork with the default flags for each simulation, and a real transaction on it. */
async function simulateOnFork(upstreamUrl: string, operation: UserOperation): Promise<void> {
  const anvil = await startAnvil({ chainId: 8453, args: ['--fork-url', upstreamUrl] });
  try {
    const data = encodeFunctionData({
      abi: entryPoint08Abi,
      functionName: 'handleOps',
      args: [[toPackedUserOperation(operation)], sender],
    });
    const transaction = { from: sender, to: entryPoint, data, gas: numberToHex(5_000_000) };
    const { logs } = await rpcCall<{ logs: Log[] }>(anvil.rpcUrl, 'eth_sendTransactionSync', [transaction]);
    const [ended] = parseEventLogs({ abi: entryPoint08Abi, eventName: 'UserOperationEvent', logs });
    if (!ended?.args.success) throw new Error('The naive simulation failed');
  } finally {
    await anvil.stop();
  }
}

async function rpcCall<Result>(url: string, method: string, params: readonly unknown[]): Promise<Result> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  return ((await response.json()) as { result: Result }).result;
}

/** Calls per second, at the concurrency that suits them best. */
async function fastest(concurrencies: readonly number[], work: () => Promise<void>): Promise<number> {
  const rates: number[] = [];
  for (const concurrency of concurrencies) {
    const end = performance.now() + 3_000;
    let done = 0;
    const repeat = async () => {
      for (; performance.now() < end; done++) await work();
    };
    const { ms } = await timed(() => Promise.all(Array.from({ length: concurrency }, repeat)));
    rates.push((done * 1_000) / ms);
  }
  return Math.max(...rates);
}
