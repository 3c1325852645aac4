/** Numbers that look random and are the same in every run. */
export interface Random {
  /** From 0 up to 1. */
  next(): number;
  /** One of several, each as likely as its weight says. */
  pick<T>(choices: readonly (readonly [choice: T, weight: number])[]): T;
  /** Normal with mean 0 and deviation 1. */
  normal(): number;
}

/** Begin a sequence (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    pick: (choices) => {
      let left = next() * choices.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [choice, weight] of choices) if ((left -= weight) < 0) return choice;
      return choices.at(-1)![0];
    },
    normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
  };
}
