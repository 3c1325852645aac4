import { ForksNotConfiguredError } from '@yield-vault/protocol';
import { RpcRequestError } from 'viem';
import type { RpcGateway } from '../../gateway/types.js';
import { createForkRequest } from '../../rpc/create-fork-request.js';
import type { JsonPoster } from '../../rpc/create-json-poster.js';
import type { SimulationRequest, SimulationResult } from '../../types.js';
import { asSimulationError } from '../as-simulation-error.js';
import { checkFees } from '../invalid-call.js';
import type { TakeFork } from '../session.js';
import { buildSimulation } from '../simulate-v1/build-simulation.js';
import { readSimulation } from '../simulate-v1/read-simulation.js';
import { simulatedTime } from '../simulated-time.js';

const methodNotFound = -32601;

export interface UpstreamSimulateOptions {
  readonly chain: string;
  readonly gateway: RpcGateway;
  readonly poster: JsonPoster;
  readonly now: () => number;
}

/** Let the chain's own RPC simulate: one request, and no process here. */
export function upstreamSimulateStrategy(options: UpstreamSimulateOptions): TakeFork {
  const { chain, gateway, poster, now } = options;
  return async ({ maxHeadAgeMs }) => {
    const block = await gateway.head(maxHeadAgeMs);
    // The gateway hands on what is not about state, with its failover and deadlines.
    const ask = createForkRequest({ chain, rpcUrl: gateway.urlFor(block), poster });

    const simulate = async (request: SimulationRequest): Promise<SimulationResult> => {
      const parameters = buildSimulation(request, {
        block,
        timestamp: simulatedTime(block, now()),
        blockParameter: { blockHash: block.hash },
        // Nodes that validate refuse calls that pay no fee.
        validation: request.calls.every(({ maxFeePerGas }) => maxFeePerGas !== undefined),
      });
      const { baseFeePerGas, calls } = readSimulation(await ask('eth_simulateV1', parameters));
      checkFees(request.calls, baseFeePerGas);
      return { block, strategy: 'upstream-simulate', calls };
    };
    return {
      block,
      simulate: (request) =>
        simulate(request).catch((error: unknown) => {
          if (lacksMethod(error)) throw notOffered(chain, error);
          throw asSimulationError(error, chain);
        }),
      release: () => Promise.resolve(),
    };
  };
}

function lacksMethod(error: unknown): boolean {
  return (
    error instanceof RpcRequestError &&
    (error.code === methodNotFound ||
      /method.*(not (found|supported|available|exist|allowed)|does not exist)/i.test(error.details))
  );
}

function notOffered(chain: string, cause: unknown): ForksNotConfiguredError {
  return new ForksNotConfiguredError({
    detail: `The RPC of ${chain} offers no eth_simulateV1; choose another strategy for preflight.`,
    cause,
  });
}
