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

/** Operations whose number at a time is limited. */
export type CapacityGroup = keyof ServerSettings['server']['maxConcurrent'];

const Group = Reflector.createDecorator<CapacityGroup>();
const retryAfterSeconds = 1;

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
 * Refuses an operation at once when this process runs as many as it may. It must come before payments. A slot is free once
 * the response ended and the handler finished: a handler goes on when its client has left.
 */
@Injectable()
export class CapacityGuard implements CanActivate {
  readonly #running = new Map<CapacityGroup, number>();
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

  #take(group: CapacityGroup): void {
    const running = this.#running.get(group) ?? 0;
    if (running >= this.#limits[group]) {
      this.#refusals.inc({ operation: group });
      throw new UpstreamUnavailableError({
        detail: `This server runs ${running} operations of this kind, which is its limit. This one was not started.`,
        details: { dependency: 'capacity', operation: group },
        nextAction: 'Send the same request again in a moment.',
        retryAfterSeconds,
      });
    }
    this.#running.set(group, running + 1);
  }

  #admit(context: ExecutionContext, group: CapacityGroup): void {
    const http = context.switchToHttp();
    let isHeld = false;
    let isWorking = false;
    const hold = () => {
      if (!isHeld) this.#take(group);
      isHeld = true;
    };
    const release = () => {
      if (isHeld) this.#running.set(group, (this.#running.get(group) ?? 1) - 1);
      isHeld = false;
    };
    const work = () => {
      hold();
      isWorking = true;
    };
    hold();
    slots.set(http.getRequest<FastifyRequest>(), { work, release });
    finished(http.getResponse<FastifyReply>().raw, () => {
      if (!isWorking) release();
    });
  }
}
