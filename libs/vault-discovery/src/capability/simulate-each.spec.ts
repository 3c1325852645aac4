import type { Simulator } from './create-simulator.js';
import { simulateEach } from './simulate-each.js';

const never = new AbortController().signal;
const holder = '0x00000000000000000000000000000000005eed01';
const up: Simulator = { holder, run: () => Promise.resolve('0x') };
const fail = () => Promise.reject(new Error('timed out'));

describe('simulateEach', () => {
  it('behavior: one that fails its whole batch costs only its own result', async () => {
    const tried: number[] = [];
    const results = await simulateEach([1, 2, 3], up, never, (item) => {
      tried.push(item);
      return tried.length <= 3 || item === 2 ? fail() : Promise.resolve(item);
    });
    expect([results, tried]).toEqual([
      [1, 3],
      [1, 2, 3, 1, 2, 3],
    ]);
  });

  it('error: the failure when all fail; nothing is repeated while the node is down', async () => {
    const simulate = jest.fn(fail);
    await expect(simulateEach([1, 2], up, never, simulate)).rejects.toThrow('timed out');
    const down: Simulator = { holder, run: () => Promise.reject(new Error('down')) };
    await expect(simulateEach([1, 2], down, never, simulate)).rejects.toThrow('down');
    expect(simulate).toHaveBeenCalledTimes(6);
  });

  it('error: the reason of an aborted signal', async () => {
    const aborted = AbortSignal.abort(new Error('stopped'));
    await expect(simulateEach([1], up, aborted, fail)).rejects.toThrow('stopped');
  });
});
