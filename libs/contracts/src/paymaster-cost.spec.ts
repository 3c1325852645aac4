import { paymasterCharge, paymasterPostOpGas, postOpPenaltyThreshold } from './paymaster-cost.js';

const terms = { tokenPerNative: 2_500_000_000n, gas: 488_800n, feePerGas: 10n ** 9n };

describe('paymasterCharge', () => {
  it('default', () => {
    // (488800 + 11200) gas at 1 gwei and 2500 USDC an ether.
    expect(paymasterCharge({ ...terms, postOpGasLimit: postOpPenaltyThreshold })).toBe(1_250_000n);
  });

  it('behavior: above the threshold a tenth of the limit is added', () => {
    expect(paymasterCharge({ ...terms, postOpGasLimit: 50_000n })).toBe(1_262_500n);
  });

  it('behavior: rounds up', () => {
    expect(paymasterCharge({ tokenPerNative: 1n, gas: 0n, feePerGas: 1n, postOpGasLimit: 0n })).toBe(1n);
    expect(paymasterCharge({ tokenPerNative: 10n ** 18n, gas: 0n, feePerGas: 1n, postOpGasLimit: 0n })).toBe(
      paymasterPostOpGas,
    );
  });
});
