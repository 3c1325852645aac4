import { canonical, chainFacts, localContracts } from '@yield-vault/contracts';
import { setUpWallet, type DevnetChain } from '@yield-vault/devnet';
import { createSimulator } from '@yield-vault/forks/preflight';
import { fromWireUserOperation, userOperationHash, type UserOperation } from '@yield-vault/protocol';
import { encodeAccountCall, encodeGasGrant, encodeIntentSignature } from '@yield-vault/smart-account';
import { buildIntentEnvelope } from '@yield-vault/testing';
import { localAddresses } from '@yield-vault/testing/local';
import { createPublicClient, createTestClient, http, publicActions } from 'viem';
import { atMost, benchmark, goal, measure, ratio, timed } from '../harness.js';
import { startLatencyProxy } from '../latency-proxy.js';
import { newWallet, startBase, steadyVaults } from '../service.js';

const most = { roundTrips: 1.25, localMs: 15 };
const { entryPointV08: entryPoint } = canonical;

export const preflight = benchmark({
  description: 'time of simulating a user operation',
  options: { latency: 50, n: 40 },
  run: async ({ latency, n }, defer) => {
    const local = await startBase(defer, { bundlers: false });
    const operation = await signDeposit(local);
    const node = createTestClient({ mode: 'anvil', transport: http(local.rpcUrl) }).extend(publicActions);
    // The server's health probe polls it.
    const newest = await node.getBlock();
    const simulatorOf = async (url: string) => {
      const simulator = createSimulator({
        chains: [
          {
            key: 'base',
            chainId: 8453,
            upstreamUrls: [url],
            opStack: true,
            bundlerAccounts: [],
            entryPoint,
            contracts: localContracts(8453),
            paymaster: 'own',
            usdc: { address: chainFacts(8453).usdc.address },
          },
        ],
        limits: { concurrency: 1, queueLimit: 1, deadlineMs: 30_000 },
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
    const remote = createPublicClient({ transport: http(proxy.url) });
    const mine = () => node.mine({ blocks: 1 });
    const [distant, near] = [await simulatorOf(proxy.url), await simulatorOf(local.rpcUrl)];
    const { trip, same, fresh, oneMachine } = await measure(
      {
        trip: observe(() => remote.getChainId()),
        same: observe(distant, distant),
        fresh: observe(distant, mine),
        oneMachine: observe(near, mine),
      },
      { rounds: n },
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
      'one machine': { ...cells(oneMachine), ...atMost(most.localMs, oneMachine.ms) },
    };
  },
});

/** Set a wallet up and sign its first deposit, its gas paid in USDC. */
async function signDeposit(local: DevnetChain): Promise<UserOperation> {
  const wallet = await newWallet(local);
  await setUpWallet(local, wallet);
  const { validator, paymaster } = localContracts(8453);
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
      paymasterData: encodeGasGrant({ token: localAddresses[8453].usdc, maximum: 50_000_000n }),
    },
  });
  const message = { ...signing.message, chainId: BigInt(signing.message.chainId) };
  const signature = await wallet.signTypedData({ ...signing, message });
  return {
    ...fromWireUserOperation(userOps[0]!.userOperation),
    signature: encodeIntentSignature({ expiry, validAfter, signature, proof: [] }),
  };
}
