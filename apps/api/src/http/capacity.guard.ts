import { finished } from 'node:stream';
import {
  applyDecorators,
  UseInterceptors,
  type CanActivate,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { UpstreamUnavailableError } from '@yield-vault/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Counter, Gauge, type Registry } from 'prom-client';
import { from, lastValueFrom } from 'rxjs';
import type { ServerSettings } from '../settings.js';

/** Operations whose number at a time is limited. */
export type CapacityGroup = keyof ServerSettings['server']['maxConcurrent'];

const groups = new Map<unknown, CapacityGroup>();
const retryAfterSeconds = 1;

/** One admitted request. */
interface Slot {
  isWorking: boolean;
  release(): void;
}

const slots = new WeakMap<FastifyRequest, Slot>();

const releaseAfterHandler: NestInterceptor = {
  intercept: (context, next) => {
    const slot = slots.get(context.switchToHttp().getRequest<FastifyRequest>());
    if (!slot) return next.handle();
    slot.isWorking = true;
    return from(lastValueFrom(next.handle()).finally(() => slot.release()));
  },
};

/**
 * Count the route against the number of operations that this process runs at a time. The interceptor runs closest to
 * the handler. Only these routes have it, because each interceptor slows its requests down.
 */
export const Capacity = (group: CapacityGroup): MethodDecorator =>
  applyDecorators(
    (_target, _name, { value: handler }) => void groups.set(handler, group),
    UseInterceptors(releaseAfterHandler),
  );

/**
 * Refuses an operation at once when this process runs as many as it may. It must come before payments. A slot is free once
 * the response ended and the handler finished: a handler goes on when its client has left.
 */
export class CapacityGuard implements CanActivate {
  readonly #running = new Map<CapacityGroup, number>();
  readonly #refusals: Counter<'operation'>;

  constructor(
    private readonly limits: ServerSettings['server']['maxConcurrent'],
    registry: Registry,
    prefix: string,
  ) {
    const options = { labelNames: ['operation'] as const, registers: [registry] };
    const running = this.#running;
    new Gauge({
      ...options,
      name: `${prefix}operations_running`,
      help: 'Operations that this process runs now.',
      collect() {
        for (const group of Object.keys(limits) as CapacityGroup[])
          this.set({ operation: group }, running.get(group) ?? 0);
      },
    });
    this.#refusals = new Counter({
      ...options,
      name: `${prefix}operations_refused_total`,
      help: 'Operations that were refused, because this process ran as many as it may.',
    });
    for (const group of Object.keys(limits)) this.#refusals.inc({ operation: group }, 0);
  }

  canActivate(context: ExecutionContext): boolean {
    const group = groups.get(context.getHandler());
    if (group === undefined) return true;
    const running = this.#running.get(group) ?? 0;
    if (running >= this.limits[group]) {
      this.#refusals.inc({ operation: group });
      throw new UpstreamUnavailableError({
        detail: `This server runs ${running} operations of this kind, which is its limit. This one was not started.`,
        details: { dependency: 'capacity', operation: group },
        nextAction: 'Send the same request again in a moment.',
        retryAfterSeconds,
      });
    }
    this.#admit(context, group);
    return true;
  }

  #admit(context: ExecutionContext, group: CapacityGroup): void {
    const change = (by: number) => this.#running.set(group, (this.#running.get(group) ?? 0) + by);
    const http = context.switchToHttp();
    let isHeld = true;
    const slot: Slot = {
      isWorking: false,
      release: () => {
        if (isHeld) change(-1);
        isHeld = false;
      },
    };
    change(1);
    slots.set(http.getRequest<FastifyRequest>(), slot);
    finished(http.getResponse<FastifyReply>().raw, () => {
      if (!slot.isWorking) slot.release();
    });
  }
}
