import { setTimeout as pause } from 'node:timers/promises';
import { ForkNotRunningError } from '@yield-vault/protocol';
import { TaskCancelledError, timeout, TimeoutStrategy } from 'cockatiel';
import type { ForkLauncher, ForkLogger, LaunchedFork } from '../ports.js';
import type { ForkChain } from '../types.js';
import { tenderlyDetails } from './as-tenderly-error.js';
import { attachVnet } from './attach-vnet.js';
import { createTenderlyApi, type TenderlyProject } from './create-tenderly-api.js';
import type { VnetFork } from './create-vnet-fork.js';
import { findResumable } from './find-resumable.js';
import { createHttp } from './http.js';
import type { Vnet } from './vnet.js';
import { createVnetNames, plain } from './vnet-names.js';
import { isRunning } from './watch-vnet.js';

// Tenderly tells no version of itself: this is that of its API.
const version = 'tenderly/v1';
const statusPollMs = 500;
const closeMs = 5_000;

export interface TenderlyLauncherOptions extends TenderlyProject {
  /**
   * Names the deployment, so that several can share a project: each goes on with its own forks, and deletes its own.
   * `default` when it is left out.
   */
  readonly tag?: string;
  /** Longest time until a new fork can be used (120,000). */
  readonly launchMs?: number;
  /** How often to look whether a fork still exists (30,000). */
  readonly livenessMs?: number;
  readonly logger: ForkLogger;
}

/**
 * Make a launcher of forks that are Virtual TestNets of Tenderly.
 *
 * @example
 * const launcher = createTenderlyLauncher({ baseUrl, account, project, accessKey, tag: 'staging', logger });
 * const fork = await launcher.launch(chain, { id: 'base-1', kind: 'persistent' });
 */
export function createTenderlyLauncher({
  tag = 'default',
  launchMs = 120_000,
  livenessMs = 30_000,
  logger,
  ...project
}: TenderlyLauncherOptions): ForkLauncher {
  const http = createHttp();
  const api = createTenderlyApi(http, project);
  const names = createVnetNames(tag);
  /** By slug, those being made included. */
  const ours = new Map<string, LaunchedFork | undefined>();
  const discards = new Set<Promise<void>>();
  const deadline = timeout(launchMs, { strategy: TimeoutStrategy.Aggressive, abortOnReturn: false });

  const attach = async (chain: ForkChain, created: Promise<Vnet>, signal: AbortSignal) => {
    let vnet = await created;
    while (!isRunning(vnet)) {
      await pause(statusPollMs, undefined, { signal });
      vnet = (await api.getVnet(vnet.id)) ?? vnet;
    }
    return attachVnet(vnet, chain, { http, api, livenessMs, logger });
  };

  /** Delete in the background what a failed launch may have made, or what ended by itself. */
  const discard = (slug: string, created: Promise<Vnet>) => {
    const findId = async () => (await api.listVnets()).find((vnet) => vnet.slug === slug)?.id;
    const discarded = created
      .then(({ id }) => id, findId)
      .then((id) => (id === undefined ? undefined : api.deleteVnet(id)))
      .catch((error: unknown) => logger.warn({ err: error, slug }, 'a fork may be left behind on Tenderly'))
      .finally(() => {
        ours.delete(slug);
        discards.delete(discarded);
      });
    discards.add(discarded);
  };

  const track = (slug: string, fork: VnetFork, created: Promise<Vnet>): LaunchedFork => {
    const forget = () => void ours.delete(slug);
    const tracked = {
      ...fork,
      detach: () => fork.detach().then(forget),
      destroy: () => fork.destroy().then(forget),
    };
    ours.set(slug, tracked);
    void fork.ended.then(() => discard(slug, created));
    return tracked;
  };

  /** What earlier processes left: forks to go on with, by chain, and the rest. */
  const findLeft = async () => {
    const left = (await api.listVnets()).filter(({ slug }) => names.parse(slug) && !ours.has(slug));
    const resumable = findResumable(left, names);
    const kept = new Set(resumable.values());
    return { resumable, leftovers: left.filter((vnet) => !kept.has(vnet)) };
  };

  return {
    kind: 'tenderly',
    async launch(chain, { id, kind, block, signal }) {
      const slug = names.slugOf({ kind, chain: chain.key, id });
      ours.set(slug, undefined);
      const created = api.createVnet({
        slug,
        displayName: `Yield vault: ${kind} fork of ${chain.key}`,
        chainId: chain.chainId,
        ...(block !== undefined && { block }),
      });
      let attached: Promise<VnetFork> | undefined;
      try {
        const fork = await deadline.execute(
          ({ signal }) => (attached = attach(chain, created, signal)),
          signal,
        );
        return track(slug, fork, created);
      } catch (error) {
        // What nobody waits for any more may be made all the same.
        void attached?.then((fork) => fork.destroy()).catch(() => undefined);
        discard(slug, created);
        if (!(error instanceof TaskCancelledError)) throw error;
        throw new ForkNotRunningError({
          detail: `The fork of ${chain.key} was not ready in time.`,
          details: tenderlyDetails,
          retryAfterSeconds: 5,
        });
      }
    },
    async resume(chain) {
      const vnet = (await findLeft()).resumable.get(plain(chain.key));
      const name = vnet && names.parse(vnet.slug);
      if (!name) return undefined;
      const fork = await attachVnet(vnet, chain, { http, api, livenessMs, logger });
      const launched = track(vnet.slug, fork, Promise.resolve(vnet));
      return { launched, id: name.id, createdAt: vnet.createdAt ?? Date.now() };
    },
    async probe() {
      return (await api.isUp()) ? { isUp: true, version } : { isUp: false, version: '' };
    },
    async reap() {
      const { leftovers } = await findLeft();
      await Promise.all(leftovers.map(({ id }) => api.deleteVnet(id)));
      if (leftovers.length > 0) {
        logger.warn({ ended: leftovers.length }, 'deleted forks that an earlier process left on Tenderly');
      }
    },
    async close() {
      await Promise.allSettled([...ours.values()].map(async (fork) => fork?.destroy()));
      // What is still being made then is deleted by the next `reap`.
      await Promise.race([Promise.all(discards), pause(closeMs, undefined, { ref: false })]);
      await http.close();
    },
  };
}
