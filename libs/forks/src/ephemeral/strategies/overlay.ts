import { ForkNotRunningError } from '@yield-vault/protocol';
import type { RpcGateway } from '../../gateway/types.js';
import type { BlockHosts, HostLease } from '../../hosts/create-block-hosts.js';
import type { LaunchedFork } from '../../ports.js';
import type { SimulationRequest, SimulationResult } from '../../types.js';
import { asSimulationError } from '../as-simulation-error.js';
import type { Deadline } from '../create-deadline.js';
import { checkFees } from '../invalid-call.js';
import type { TakeFork } from '../session.js';
import { buildSimulation } from '../simulate-v1/build-simulation.js';
import { readSimulation } from '../simulate-v1/read-simulation.js';
import { withStorage } from '../simulate-v1/with-storage.js';
import { simulatedTime } from '../simulated-time.js';

const attempts = 2;
// A call that ends soon after its caller has gone costs the others nothing; one that goes on costs them a processor.
const graceMs = 250;

export interface OverlayOptions {
  readonly chain: string;
  readonly gateway: RpcGateway;
  readonly hosts: BlockHosts;
  readonly now: () => number;
  /** Told of every result. */
  readonly onResult: (request: SimulationRequest, result: SimulationResult) => void;
}

/** Take forks that are overlays over a host which many share: nothing of a simulation ever stays. */
export function overlayStrategy({ chain, gateway, hosts, now, onResult }: OverlayOptions): TakeFork {
  return async ({ maxHeadAgeMs, likely, deadline }) => {
    const mustAsk = gateway.mustAsk(maxHeadAgeMs);
    const looking = gateway.head(maxHeadAgeMs, likely);
    // Starting a process takes a while: the question is on its way by then.
    if (mustAsk) hosts.prepare();
    const block = await looking;
    const lease = hosts.lease(block);

    const simulate = async (request: SimulationRequest): Promise<SimulationResult> => {
      // The host starts meanwhile; it asks for what is not foreseen.
      await gateway.prefetch(block, request.template, request.calls);
      const storage = gateway.foreseenStorage(block, request.template, request.calls);
      const parameters = buildSimulation(withStorage(request, storage), {
        block,
        timestamp: simulatedTime(block, now()),
        blockParameter: 'latest',
        validation: true,
      });
      const answer = await askHost(lease, parameters, deadline);
      const { baseFeePerGas, calls } = readSimulation(answer);
      checkFees(request.calls, baseFeePerGas);
      const result = { block, strategy: 'overlay', calls } as const;
      onResult(request, result);
      return result;
    };
    return {
      block,
      simulate: (request) =>
        simulate(request).catch((error: unknown) => {
          throw asSimulationError(error, chain);
        }),
      release() {
        lease.release();
        return Promise.resolve();
      },
    };
  };
}

/** Ask the host, and once more on a new one when it is gone. */
async function askHost(
  lease: HostLease,
  parameters: readonly unknown[],
  deadline: Deadline,
): Promise<unknown> {
  for (let attempt = 1; ; attempt++) {
    let host: LaunchedFork | undefined;
    try {
      host = await deadline.race(lease.host());
      return await askWithin(host, lease, parameters, deadline);
    } catch (error) {
      if (!(error instanceof ForkNotRunningError) || deadline.signal.aborted) throw error;
      if (host) lease.discard(host);
      if (attempt === attempts) throw error;
    }
  }
}

async function askWithin(
  host: LaunchedFork,
  lease: HostLease,
  parameters: readonly unknown[],
  { race, signal }: Deadline,
): Promise<unknown> {
  const answer = host.request('eth_simulateV1', parameters);
  try {
    return await race(answer);
  } catch (error) {
    if (signal.aborted) discardUnlessDone(answer, () => lease.discard(host));
    throw error;
  }
}

/** Anvil goes on with a simulation that nobody waits for: only its end stops it. */
function discardUnlessDone(answer: Promise<unknown>, discard: () => void): void {
  const timer = setTimeout(discard, graceMs).unref();
  const stop = () => clearTimeout(timer);
  answer.then(stop, stop);
}
