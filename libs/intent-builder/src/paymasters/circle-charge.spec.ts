import { circleCharge } from './circle-charge.js';

const rate = { tokenPerNative: 2_689_718_436n, additionalGasCharge: 35_000n, feeSpreadBps: 1_000n };
const use = { gas: 300_000n, feePerGas: 1_000_000_000n, postOpGasLimit: 40_000n, callGasLimit: 100_000n };

describe('circleCharge', () => {
  it('default: price and surcharge over all gas and that of postOp', () => {
    // 335 000 gas at 1 gwei are 901 055 base units, plus one, plus a tenth.
    expect(circleCharge(rate, use)).toBe(991_161n);
  });

  it('behavior: no surcharge, no gas', () => {
    expect(circleCharge({ ...rate, feeSpreadBps: 0n }, use)).toBe(901_056n);
    expect(circleCharge({ ...rate, additionalGasCharge: 0n }, { ...use, gas: 0n })).toBe(1n);
  });
});
