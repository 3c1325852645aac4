import { NotFoundError } from '@yield-vault/protocol';
import { numberToHex, RpcRequestError } from 'viem';
import { z } from 'zod';
import type { ForkProvider } from '../ports.js';
import { rpcAnswerSchema } from '../rpc/create-fork-request.js';
import type { Fork, ForkKind, ForkRecord } from '../types.js';
import { createServiceClient, type ServiceClient } from './create-service-client.js';
import { forkGone, serviceBroken } from './service-errors.js';
import {
  wireBalancesSchema,
  wireForkSchema,
  wireForksSchema,
  wireHealthSchema,
  type WireFork,
} from './wire-schemas.js';

export interface ServiceProviderOptions {
  /** Base URL of the fork service. */
  readonly url: string;
  /** The bearer credential of the service. Never shown. */
  readonly adminCredential: string;
  /** Longest time for a call, in milliseconds. Longer than the service's own limit, whose error says more. */
  readonly timeoutMs?: number;
}

/** A client of the fork service, with the stable RPC addresses of its forks. */
export interface ServiceProvider extends ForkProvider {
  /** RPC address of the persistent fork of a chain. It stays the same while the fork is recreated. */
  rpcUrl(chain: string): string;
}

const healthDeadlineMs = 2_000;
const readDeadlineMs = 5_000;

/**
 * Make a client of a fork service.
 *
 * @throws {ForkNotRunningError} (every method) the service or the fork does not respond; retryable
 * @throws {UpstreamUnavailableError} (every method) the service refuses the credential; `details.dependency` is
 *   `fork-service`
 * @example
 * const forks = createServiceProvider({ url: 'http://127.0.0.1:3100', adminCredential });
 * const fork = await forks.persistent('base');
 */
export function createServiceProvider({
  url,
  adminCredential,
  timeoutMs = 65_000,
}: ServiceProviderOptions): ServiceProvider {
  const base = url.replace(/\/+$/, '');
  const client = createServiceClient({ url: base, adminCredential, timeoutMs });
  const asFork = ({ record, rpcPath }: WireFork): Fork =>
    createServiceFork(client, record, `${base}${rpcPath}`);
  const forkPath = (id: string) => `/v1/forks/${encodeURIComponent(id)}`;

  const open = async (chain: string, kind: ForkKind, signal?: AbortSignal): Promise<Fork> => {
    const call = {
      method: 'POST',
      path: '/v1/forks',
      body: { chain, kind },
      chain,
      // Repeating a call for an ephemeral fork would leave one behind.
      isRepeatable: kind === 'persistent',
      ...(signal && { signal }),
    } as const;
    try {
      return asFork(await client.call(call, wireForkSchema));
    } catch (error) {
      // The URL does not belong to a fork service.
      throw error instanceof NotFoundError ? serviceBroken(error) : error;
    }
  };

  return {
    rpcUrl: (chain) => `${base}/rpc/${encodeURIComponent(chain)}`,
    persistent: (chain) => open(chain, 'persistent'),
    create: (chain, { signal } = {}) => open(chain, 'ephemeral', signal),
    async find(id) {
      try {
        const call = {
          method: 'GET',
          path: forkPath(id),
          isRepeatable: true,
          deadlineMs: readDeadlineMs,
        } as const;
        return asFork(await client.call(call, wireForkSchema));
      } catch (error) {
        if (error instanceof NotFoundError) return undefined;
        throw error;
      }
    },
    async list() {
      const call = {
        method: 'GET',
        path: '/v1/forks',
        isRepeatable: true,
        deadlineMs: readDeadlineMs,
      } as const;
      const { forks } = await client.call(call, wireForksSchema);
      return forks.map(({ record }) => record);
    },
    async destroy(id) {
      try {
        await client.call({ method: 'DELETE', path: forkPath(id), isRepeatable: true }, z.undefined());
      } catch (error) {
        if (!(error instanceof NotFoundError)) throw error;
      }
    },
    async health() {
      try {
        const call = { method: 'GET', path: '/health', deadlineMs: healthDeadlineMs } as const;
        return await client.call(call, wireHealthSchema);
      } catch {
        return { status: 'unavailable', activeForks: 0, maxForks: null, version: '' };
      }
    },
    close: () => client.close(),
  };
}

/** Make a fork whose methods call the service. */
function createServiceFork(client: ServiceClient, record: ForkRecord, rpcUrl: string): Fork {
  const post = async <T>(action: string, schema: z.ZodType<T>, body: object): Promise<T> => {
    const path = `/v1/forks/${encodeURIComponent(record.id)}/${action}`;
    try {
      return await client.call({ method: 'POST', path, body }, schema);
    } catch (error) {
      throw error instanceof NotFoundError ? forkGone(record.id) : error;
    }
  };
  const request: Fork['request'] = async (method, params = []) => {
    const body = { jsonrpc: '2.0', id: 1, method, params };
    const answer = await post('rpc', rpcAnswerSchema, body);
    if ('error' in answer) throw new RpcRequestError({ body, error: answer.error, url: rpcUrl });
    return answer.result;
  };

  return {
    ...record,
    rpcUrl,
    request,
    // The service requires an amount, and 0 only reads the balances.
    fund: ({ address, ethWei = 0n, usdcBaseUnits }) =>
      post('fund', wireBalancesSchema, {
        address,
        ethWei: ethWei.toString(),
        usdcBaseUnits: usdcBaseUnits?.toString(),
      }),
    async mine(blocks) {
      if (blocks > 0) await request('anvil_mine', [numberToHex(blocks)]);
    },
  };
}
