import { createJsonRpc } from '@yield-vault/chains';
import { findError, UpstreamUnavailableError, type LoggerPort } from '@yield-vault/protocol';
import { z } from 'zod';
import type { Fork, ForkChain } from '../types.js';
import { probeEndpoint, type ProbeResult } from './probe-endpoint.js';
import { readRefusal } from './simulate-v1.js';

// A node may be upgraded while this process runs.
const failedRetryMs = 60_000;
// The start of a server waits for it.
const probeDeadlineMs = 5_000;

/** The RPC endpoints of a chain that simulate correctly. */
export interface Endpoints {
  /**
   * Probe the endpoints that did not pass yet.
   *
   * @returns the newest result of each endpoint, in order
   */
  probe(): Promise<readonly ProbeResult[]>;
  /** Whether an endpoint passed its probe. Probes again where none did. */
  canSimulate(): Promise<boolean>;
  /**
   * Send `eth_simulateV1` to the first endpoint that passed, and to the next one when it does not respond.
   *
   * @throws {RpcRequestError} the node refused the simulation
   * @throws {UpstreamUnavailableError} no endpoint responds; retryable
   */
  readonly send: (parameters: readonly unknown[]) => Promise<unknown>;
}

interface Endpoint {
  readonly send: Fork['request'];
  /** The same, with less time. */
  readonly sendProbe: Fork['request'];
  result: ProbeResult;
  /** Unix milliseconds. */
  probedAt: number;
}

/** Make the endpoints of a chain. Nothing is sent yet. */
export function createEndpoints(options: {
  readonly chain: Pick<ForkChain, 'key' | 'upstreamUrls'>;
  /** Longest time of one simulation, in milliseconds. Each endpoint gets its part. */
  readonly deadlineMs: number;
  readonly logger: LoggerPort;
  /** Unix milliseconds. */
  readonly now: () => number;
}): Endpoints {
  const { chain, logger, now } = options;
  const dependency = `rpc:${chain.key}`;
  const deadlineMs = Math.ceil(options.deadlineMs / Math.max(1, chain.upstreamUrls.length));
  const sender = (url: string, longestMs: number): Fork['request'] => {
    const request = createJsonRpc(url, { dependency, deadlineMs: longestMs }, (error) =>
      findError(error, 'RpcRequestError'),
    );
    return (method, parameters) => request(z.unknown(), method, parameters);
  };
  const endpoints = chain.upstreamUrls.map((url): Endpoint => ({
    send: sender(url, deadlineMs),
    sendProbe: sender(url, Math.min(deadlineMs, probeDeadlineMs)),
    result: 'silent',
    probedAt: -Infinity,
  }));
  let probing: Promise<unknown> | undefined;

  const probeOne = async (endpoint: Endpoint, place: number): Promise<void> => {
    if (endpoint.result === 'passed') return;
    if (endpoint.result === 'failed' && now() - endpoint.probedAt < failedRetryMs) return;
    endpoint.result = await probeEndpoint(endpoint.sendProbe, now());
    endpoint.probedAt = now();
    if (endpoint.result === 'passed') return;
    const reason = endpoint.result === 'failed' ? 'does not simulate correctly' : 'does not respond';
    logger.warn({ chain: chain.key, endpoint: place + 1 }, `an RPC endpoint ${reason}`);
  };

  const probe = async (): Promise<readonly ProbeResult[]> => {
    probing ??= Promise.all(endpoints.map(probeOne)).finally(() => (probing = undefined));
    await probing;
    return endpoints.map(({ result }) => result);
  };
  const passed = () => endpoints.filter(({ result }) => result === 'passed');

  return {
    probe,
    canSimulate: async () => passed().length > 0 || (await probe()).includes('passed'),
    async send(parameters) {
      let failure = unavailable(chain.key);
      for (const endpoint of passed()) {
        try {
          return await endpoint.send('eth_simulateV1', parameters);
        } catch (error) {
          if (readRefusal(error) !== undefined) throw error;
          // Any other error is the node's own, such as state that it lacks.
          failure = error instanceof UpstreamUnavailableError ? error : unavailable(chain.key, error);
        }
      }
      throw failure;
    },
  };
}

/** Build the error for a chain that cannot be simulated now. */
export function unavailable(chain: string, cause?: unknown): UpstreamUnavailableError {
  return new UpstreamUnavailableError({
    detail: `No RPC endpoint of ${chain} can simulate now.`,
    details: { dependency: `rpc:${chain}` },
    retryAfterSeconds: 2,
    cause,
  });
}
