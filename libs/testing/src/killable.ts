/** The life of a process that is killed at its nth step. */
export interface Life {
  /** Steps until it is killed. */
  left: number;
  dead: boolean;
}

export class KilledError extends Error {
  override readonly name = 'KilledError';
}

/** Make a port whose process is killed right before or right after one of its calls takes effect. */
export function killable<Port extends object>(port: Port, life: Life, moment: 'before' | 'after'): Port {
  return new Proxy(port, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return async (...args: unknown[]) => {
        if (life.dead) throw new KilledError();
        const isLast = life.left-- === 0;
        if (isLast && moment === 'before') life.dead = true;
        if (life.dead) throw new KilledError();
        const result: unknown = await Reflect.apply(method, target, args);
        if (isLast) life.dead = true;
        if (life.dead) throw new KilledError();
        return result;
      };
    },
  });
}
