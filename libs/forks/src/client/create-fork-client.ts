import { ForkNotRunningError, ForksNotConfiguredError, NotFoundError } from '@yield-vault/protocol';
import { numberToHex } from 'viem';
import { z } from 'zod';
import { resultOf, rpcCall, rpcResponseSchema } from '../json-rpc.js';
import type { Balances, Fork, ForkHealth, ForkProvider, ForkRecord } from '../types.js';
import { createServiceCalls, serviceBroken, type ServiceCalls } from './call-service.js';

/** Where forks come from: the section `forks` of a deployment. */
export type ForkClientSettings =
  | { readonly provider: 'none' }
  | {
      readonly provider: 'service';
      /** Base URL of the fork service. */
      readonly url: string;
      /** The bearer credential of the service. Never shown. */
      readonly adminCredential: string;
      /** Longest time for a call, in milliseconds. Longer than the service's own limit, whose error says more. */
      readonly timeoutMs?: number;
    };

/** A client of the fork service, with the stable RPC addresses of its forks. */
export interface ForkClient extends ForkProvider {
  /**
   * RPC address of the persistent fork of a chain. It stays the same while the fork is recreated.
   *
   * @throws {ForksNotConfiguredError} no fork service is configured
   */
  rpcUrl(chain: string): string;
}

const defaultTimeoutMs = 65_000;
const healthDeadlineMs = 2_000;
const readDeadlineMs = 5_000;

/** The health of forks that do not respond. */
export const unavailable: ForkHealth = { status: 'unavailable', activeForks: 0, maxForks: null, version: '' };

/**
 * Make a client of a fork service. Without a service, each call that needs a fork throws `ForksNotConfiguredError`.
 *
 * @throws {ForkNotRunningError} (every method) the service or the fork does not respond; retryable
 * @throws {UpstreamUnavailableError} (every method) the service refuses the credential; `details.dependency` is
 *   `fork-service`
 * @example
 * const forks = createForkClient({ provider: 'service', url: 'http://127.0.0.1:3100', adminCredential });
 * const fork = await forks.persistent('base');
 */
export function createForkClient(settings: ForkClientSettings): ForkClient {
  if (settings.provider === 'none') return withoutForks;
  const { adminCredential, timeoutMs = defaultTimeoutMs } = settings;
  const url = settings.url.replace(/\/+$/, '');
  const service = createServiceCalls({ url, adminCredential, timeoutMs });
  const asFork = ({ record, rpcPath }: WireFork): Fork => asServiceFork(service, record, `${url}${rpcPath}`);

  const open = async (chain: string, kind: ForkRecord['kind'], signal?: AbortSignal): Promise<Fork> => {
    // Repeating a call for an ephemeral fork would leave one behind.
    const isRepeatable = kind === 'persistent';
    const call = {
      method: 'POST',
      path: '/v1/forks',
      body: { chain, kind },
      isRepeatable,
      signal,
    } as const;
    try {
      return asFork(await service.call(call, forkSchema));
    } catch (error) {
      // The URL does not belong to a fork service.
      throw error instanceof NotFoundError ? serviceBroken(error) : error;
    }
  };
  const read = <T>(path: string, schema: z.ZodType<T>): Promise<T> =>
    service.call({ method: 'GET', path, isRepeatable: true, deadlineMs: readDeadlineMs }, schema);

  return {
    rpcUrl: (chain) => `${url}/rpc/${encodeURIComponent(chain)}`,
    persistent: (chain) => open(chain, 'persistent'),
    create: (chain, { signal } = {}) => open(chain, 'ephemeral', signal),
    find: (id) => unlessMissing(read(pathOf(id), forkSchema).then(asFork)),
    list: async () => (await read('/v1/forks', forksSchema)).forks.map(({ record }) => record),
    destroy: (id) =>
      unlessMissing(service.call({ method: 'DELETE', path: pathOf(id), isRepeatable: true }, z.undefined())),
    health: () =>
      service
        .call({ method: 'GET', path: '/health', deadlineMs: healthDeadlineMs }, healthSchema)
        .catch(() => unavailable),
    close: () => Promise.resolve(service.close()),
  };
}

const refuse = (): never => {
  throw new ForksNotConfiguredError({ detail: 'The deployment has no persistent forks.' });
};

const withoutForks: ForkClient = {
  rpcUrl: refuse,
  persistent: async () => Promise.resolve(refuse()),
  create: async () => Promise.resolve(refuse()),
  find: () => Promise.resolve(undefined),
  list: () => Promise.resolve([]),
  destroy: () => Promise.resolve(),
  health: () => Promise.resolve(unavailable),
  close: () => Promise.resolve(),
};

const pathOf = (id: string) => `/v1/forks/${encodeURIComponent(id)}`;

function unlessMissing<T>(response: Promise<T>): Promise<T | undefined> {
  return response.catch((error: unknown) => {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  });
}

/** Make a fork whose methods call the service. */
function asServiceFork(service: ServiceCalls, record: ForkRecord, rpcUrl: string): Fork {
  const post = async <T>(action: string, schema: z.ZodType<T>, body: object): Promise<T> => {
    try {
      return await service.call({ method: 'POST', path: `${pathOf(record.id)}/${action}`, body }, schema);
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error;
      throw new ForkNotRunningError({
        detail: 'The fork is gone. The next call creates a new one.',
        details: { forkId: record.id },
        retryAfterSeconds: 1,
      });
    }
  };
  const request: Fork['request'] = async (method, params) => {
    const call = rpcCall(method, params);
    return resultOf(call, await post('rpc', rpcResponseSchema, call), rpcUrl);
  };

  return {
    ...record,
    rpcUrl,
    request,
    // The service requires an amount, and 0 only reads the balances.
    fund: ({ address, ethWei = 0n, usdcBaseUnits }) =>
      post('fund', balancesSchema, {
        address,
        ethWei: ethWei.toString(),
        usdcBaseUnits: usdcBaseUnits?.toString(),
      }),
    async mine(blocks) {
      if (blocks > 0) await request('anvil_mine', [numberToHex(blocks)]);
    },
  };
}

const digits = z
  .string()
  .regex(/^\d{1,78}$/)
  .transform(BigInt);

interface WireFork {
  readonly record: ForkRecord;
  /** Path of its plain JSON-RPC. */
  readonly rpcPath: string;
}

const forkSchema = z
  .object({
    id: z.string().min(1),
    kind: z.enum(['persistent', 'ephemeral']),
    chain: z.string(),
    chainId: z.int().positive(),
    status: z.enum(['starting', 'running', 'stopped', 'failed']),
    forkBlock: digits,
    createdAt: z.iso.datetime(),
    rpcPath: z.string().startsWith('/'),
  })
  .transform(({ rpcPath, createdAt, ...fork }): WireFork => ({
    record: { ...fork, createdAt: Date.parse(createdAt) },
    rpcPath,
  }));

const forksSchema = z.object({ forks: z.array(forkSchema) });
const balancesSchema: z.ZodType<Balances> = z.object({ ethWei: digits, usdcBaseUnits: digits });
const healthSchema: z.ZodType<ForkHealth> = z.object({
  status: z.enum(['healthy', 'degraded', 'unavailable']),
  version: z.string(),
  activeForks: z.int().nonnegative(),
  maxForks: z.int().positive().nullable(),
});
