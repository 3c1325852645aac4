import { finished } from 'node:stream';
import {
  applyDecorators,
  Injectable,
  UseInterceptors,
  type CanActivate,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { UpstreamUnavailableError } from '@yield-vault/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { metricPrefix } from '@yield-vault/worker';
import { Counter, Gauge } from 'prom-client';
import { from, lastValueFrom } from 'rxjs';
import { Parts } from '../parts.js';
import type { ServerSettings } from '../settings.js';
import { clientOf } from './client.js';

/** Operations whose number at a time is limited. */
export type CapacityGroup = keyof ServerSettings['server']['maxConcurrent'];

const Group = Reflector.createDecorator<CapacityGroup>();
const retryAfterSeconds = 1;
/** Operations of which one client may take half of the places. Those of the relays have `relay.maxWaiting.perClient`. */
const shared: ReadonlySet<CapacityGroup> = new Set([
  'status',
  'statusBatch',
  'intentStatus',
  'quote',
  'prepare',
]);

/** One admitted request. */
interface Slot {
  /**
   * Keep the slot until the handler ends.
   *
   * @throws {UpstreamUnavailableError} when the client left while its payment was checked, and others took the slot
   */
  work(): void;
  release(): void;
}

const slots = new WeakMap<FastifyRequest, Slot>();

const releaseAfterHandler: NestInterceptor = {
  intercept: (context, next) => {
    const slot = slots.get(context.switchToHttp().getRequest<FastifyRequest>());
    if (!slot) return next.handle();
    slot.work();
    return from(lastValueFrom(next.handle()).finally(() => slot.release()));
  },
};

/**
 * Count the route against the number of operations that this process runs at a time. The interceptor runs closest to
 * the handler. Only these routes have it, because each interceptor slows its requests down.
 */
export const Capacity = (group: CapacityGroup): MethodDecorator =>
  applyDecorators(Group(group), UseInterceptors(releaseAfterHandler));

/**
 * Refuses an operation at once when this process runs as many as it may, in all or for the client. It comes before
 * payments, so that a refused request is not charged. A slot is free once the response ended and the handler finished: a
 * handler goes on when its client has left.
 */
@Injectable()
export class CapacityGuard implements CanActivate {
  /** By group, and by group and client. */
  readonly #running = new Map<string, number>();
  readonly #refusals: Counter<'operation'>;
  readonly #limits: ServerSettings['server']['maxConcurrent'];

  constructor(
    { settings, metrics }: Parts,
    private readonly reflector: Reflector,
  ) {
    const options = { labelNames: ['operation'] as const, registers: [metrics.registry] };
    const limits = settings.server.maxConcurrent;
    this.#limits = limits;
    const running = this.#running;
    new Gauge({
      ...options,
      name: `${metricPrefix}operations_running`,
      help: 'Operations that this process runs now.',
      collect() {
        for (const group of Object.keys(limits) as CapacityGroup[])
          this.set({ operation: group }, running.get(group) ?? 0);
      },
    });
    this.#refusals = new Counter({
      ...options,
      name: `${metricPrefix}operations_refused_total`,
      help: 'Operations that were refused, because this process ran as many as it may.',
    });
    for (const group of Object.keys(limits)) this.#refusals.inc({ operation: group }, 0);
  }

  canActivate(context: ExecutionContext): boolean {
    const group = this.reflector.get(Group, context.getHandler());
    if (group !== undefined) this.#admit(context, group);
    return true;
  }

  #count(key: string, change: 0 | 1 | -1 = 0): number {
    const count = (this.#running.get(key) ?? 0) + change;
    if (count > 0) this.#running.set(key, count);
    else this.#running.delete(key);
    return count;
  }

  #take(group: CapacityGroup, own: string): void {
    const limit = this.#limits[group];
    const share = shared.has(group) ? Math.max(1, Math.floor(limit / 2)) : limit;
    const [all, mine] = [this.#count(group), this.#count(own)];
    const isFull = all >= limit;
    if (isFull || mine >= share) {
      // The alert on this number asks for another server, which one busy client does not need.
      if (isFull) this.#refusals.inc({ operation: group });
      throw new UpstreamUnavailableError({
        detail: `This server runs ${isFull ? all : mine} operations of this kind${isFull ? ', which is its limit' : ' for you, the limit of one client'}. This one was not started.`,
        details: { dependency: 'capacity', operation: group },
        nextAction: 'Send the same request again in a moment.',
        retryAfterSeconds,
      });
    }
    this.#count(group, 1);
    this.#count(own, 1);
  }

  #admit(context: ExecutionContext, group: CapacityGroup): void {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const own = `${group}:${clientOf(request)}`;
    let isHeld = false;
    let isWorking = false;
    const hold = () => {
      if (!isHeld) this.#take(group, own);
      isHeld = true;
    };
    const release = () => {
      if (isHeld) for (const key of [group, own]) this.#count(key, -1);
      isHeld = false;
    };
    const work = () => {
      hold();
      isWorking = true;
    };
    hold();
    slots.set(request, { work, release });
    finished(http.getResponse<FastifyReply>().raw, () => {
      if (!isWorking) release();
    });
  }
}
