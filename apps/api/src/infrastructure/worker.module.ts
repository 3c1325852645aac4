import {
  Inject,
  Module,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { endWithin } from '@yield-vault/server';
import type { ChainEvents } from '@yield-vault/chain-events';
import { startWorker, type RunningWorker } from '@yield-vault/worker';
import type { VaultDiscovery } from '@yield-vault/vault-discovery';
import { DiscoveryModule } from '../modules/discovery/discovery.module.js';
import { Parts } from '../parts.js';
import { tokens } from '../tokens.js';

/** Runs the worker in this process, where the deployment has no process for it. */
@Module({ imports: [DiscoveryModule] })
export class WorkerModule
  implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown
{
  #worker: RunningWorker | undefined;
  #stopped: Promise<void> | undefined;

  constructor(
    private readonly parts: Parts,
    @Inject(tokens.discovery) private readonly discovery: VaultDiscovery,
    @Inject(tokens.events) private readonly events: ChainEvents,
  ) {}

  onApplicationBootstrap(): void {
    const { settings, metrics } = this.parts;
    if (settings.worker !== 'in-process') return;
    this.#worker = startWorker(settings, {
      ...this.parts,
      metrics: metrics.registry,
      discovery: this.discovery,
      events: this.events,
    });
  }

  /** It ends while requests in flight get their responses. */
  beforeApplicationShutdown(): void {
    this.#stopped = this.#worker?.stop();
    // A failure is logged once the others have ended.
    this.#stopped?.catch(() => undefined);
  }

  async onApplicationShutdown(): Promise<void> {
    if (!this.#stopped) return;
    const { logger, timings } = this.parts;
    await endWithin(timings.endDeadlineMs, this.#stopped, logger, 'the worker did not end in time');
  }
}
