import type { BlockRef } from '../types.js';
import { createForecast } from './create-forecast.js';

const start = 1_700_000_000;

describe('createForecast', () => {
  const blockAt = (index: number, seconds: number): BlockRef => ({
    number: BigInt(index),
    hash: '0x',
    timestamp: BigInt(start + seconds),
  });
  /** A chain with a block every two seconds that arrive 300 ms late, looked at after `ms`. */
  const regular = (ms: number): [BlockRef, number] => {
    const index = Math.floor((ms - 300) / 2_000);
    return [blockAt(index, index * 2), start * 1_000 + ms];
  };

  it('default: a chain that keeps time is known ahead', () => {
    const forecast = createForecast();
    for (const ms of [400, 3_100, 4_500, 8_400, 10_450]) forecast.observe(...regular(ms));
    for (const ms of [11_000, 12_400, 23_000, 100_500]) {
      const [block, at] = regular(ms);
      expect(forecast.expect(at)).toBe(block.number);
    }
  });

  it('behavior: a block that is left out misleads once', () => {
    const forecast = createForecast();
    for (const ms of [400, 2_400, 4_400, 6_400]) forecast.observe(...regular(ms));
    // Block 4 comes where block 5 should have been.
    forecast.observe(blockAt(4, 10), start * 1_000 + 10_400);
    expect(forecast.expect(start * 1_000 + 11_000)).toBeUndefined();
    forecast.observe(blockAt(5, 12), start * 1_000 + 12_500);
    expect(forecast.expect(start * 1_000 + 14_400)).toBe(6n);
  });

  it('behavior: a chain that adds blocks as it likes is never guessed', () => {
    const forecast = createForecast();
    const blocks = [0, 7, 8, 30, 31, 32, 60];
    blocks.forEach((seconds, index) => forecast.observe(blockAt(index, seconds), (start + seconds) * 1_000));
    expect(forecast.expect((start + 61) * 1_000)).toBeUndefined();
  });

  it('behavior: says nothing before it has seen anything', () => {
    expect(createForecast().expect(start)).toBeUndefined();
  });
});
