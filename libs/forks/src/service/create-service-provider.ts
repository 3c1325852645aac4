import { NotFoundError } from '@yield-vault/protocol';
import { z } from 'zod';
import type { ForkProvider } from '../ports.js';
import type { Fork, ForkKind } from '../types.js';
import { createServiceClient } from './create-service-client.js';
import { createServiceFork } from './create-service-fork.js';
import { serviceBroken } from './service-errors.js';
import { wireForkSchema, wireForksSchema, wireHealthSchema, type WireFork } from './wire-schemas.js';

export interface ServiceProviderOptions {
  /** Where the fork service is. */
  readonly url: string;
  /** What its operators identify with. Never shown. */
  readonly adminCredential: string;
  /** Longest time for a call, in milliseconds. Longer than the service gives itself, so that it can say what is wrong. */
  readonly timeoutMs?: number;
}

/** Forks of a fork service, with the stable addresses of their RPC. */
export interface ServiceProvider extends ForkProvider {
  readonly kind: 'service';
  /** Plain JSON-RPC of the persistent fork of a chain; it stays the same while the fork is recreated. */
  rpcUrl(chain: string): string;
}

const healthDeadlineMs = 2_000;
const readDeadlineMs = 5_000;

/**
 * Make a provider of the forks of a fork service.
 *
 * @throws {ForkNotRunningError} by every method: the service, or the fork, does not answer; retryable
 * @throws {UpstreamUnavailableError} by every method: the service refuses the credential
 *   (`details.dependency` is `fork-service`)
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
      // Made twice, a call for a new fork would leave one behind.
      isRepeatable: kind === 'persistent',
      ...(signal && { signal }),
    } as const;
    try {
      return asFork(await client.call(call, wireForkSchema));
    } catch (error) {
      // What answers there is no fork service, or not at this path: that is not for the caller to hear.
      throw error instanceof NotFoundError ? serviceBroken(error) : error;
    }
  };

  return {
    kind: 'service',
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
