/** Example values of the documentation. "Try it out" works with them on the local deployment. */
export const examples = {
  chain: 'base',
  wallet: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  forkId: 'base-3f6c1d7e9a0b4c2d',
} as const;
