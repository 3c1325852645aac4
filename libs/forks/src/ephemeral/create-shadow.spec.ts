import { recordingLogger } from '../../test/support/recording-logger.js';
import type { SimulatedCallResult, SimulationResult } from '../types.js';
import { createShadow } from './create-shadow.js';

const call: SimulatedCallResult = {
  status: 'success',
  gasUsed: 21_000n,
  returnData: '0xAb',
  logs: [{ address: '0x00000000000000000000000000000000000000Aa', topics: ['0x01'], data: '0x' }],
};
const result: SimulationResult = {
  block: { number: 7n, hash: '0x07', timestamp: 7n },
  strategy: 'overlay',
  calls: [call],
};
const request = { calls: [], template: 'deposit' };

function shadowOf(repeat: () => Promise<readonly SimulatedCallResult[]>, fraction = 1) {
  const logger = recordingLogger();
  const shadow = createShadow({ chain: 'base', fraction, repeat, random: () => 0.5, logger });
  return { shadow, logger };
}

describe('createShadow', () => {
  it('default: agreement, whatever the case of hex', async () => {
    const { shadow } = shadowOf(() => Promise.resolve([{ ...call, returnData: '0xaB' }]));
    shadow.observe(request, result);
    await shadow.settle();
    expect(shadow.stats()).toEqual({ agreed: 1, differed: 0, failed: 0, skipped: 0 });
  });

  it.each([
    ['status', { status: 'revert' }],
    ['gasUsed', { gasUsed: 21_001n }],
    ['returnData', { returnData: '0x' }],
    ['logs', { logs: [] }],
  ] as const)('behavior: a difference in %s is an error in the log', async (part, change) => {
    const { shadow, logger } = shadowOf(() => Promise.resolve([{ ...call, ...change }]));
    shadow.observe(request, result);
    await shadow.settle();
    expect(shadow.stats().differed).toBe(1);
    expect(logger.lines).toEqual([expect.stringMatching(new RegExp(`^error .*deposit.*call 0: ${part}"`))]);
  });

  it('behavior: a second run that fails is counted and thrown at nobody', async () => {
    const { shadow } = shadowOf(() => Promise.reject(new Error('no')));
    shadow.observe(request, result);
    await shadow.settle();
    expect(shadow.stats().failed).toBe(1);
  });

  it('behavior: one at a time', async () => {
    const { shadow } = shadowOf(() => Promise.resolve([call]));
    shadow.observe(request, result);
    shadow.observe(request, result);
    await shadow.settle();
    expect(shadow.stats()).toMatchObject({ agreed: 1, skipped: 1 });
  });

  it.each([0, 0.5])('behavior: fraction %p leaves out what is at or above it', async (fraction) => {
    const repeat = jest.fn(() => Promise.resolve([call]));
    const { shadow } = shadowOf(repeat, fraction);
    shadow.observe(request, result);
    await shadow.settle();
    expect(repeat).not.toHaveBeenCalled();
  });
});
