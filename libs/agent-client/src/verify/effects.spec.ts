import { paymasterCharge } from '@yield-vault/contracts';
import { totalGasLimit, type UserOperation } from '@yield-vault/protocol';
import fc from 'fast-check';
import { local } from '../../test/support/book.js';
import { gasBound } from './effects.js';

// 3,000 dollars for an ether and the highest markup of our own paymaster.
const maxEthUsd = 3_000;
const tokenPerNative = 3_600_000_000n;

const gas = fc.bigInt(0n, 5_000_000n);
const operations = fc
  .record({
    callGasLimit: gas,
    verificationGasLimit: gas,
    preVerificationGas: gas,
    paymasterVerificationGasLimit: gas,
    paymasterPostOpGasLimit: fc.oneof(gas, fc.constantFrom(40_000n, 40_001n)),
    maxFeePerGas: fc.bigInt(0n, 10n ** 12n),
  })
  .map((fields) => fields as unknown as UserOperation);

describe('gasBound', () => {
  it('default: the paymaster’s charge at that price and markup, up to rounding', () => {
    fc.assert(
      fc.property(operations, (operation) => {
        const use = {
          tokenPerNative,
          gas: totalGasLimit(operation),
          feePerGas: operation.maxFeePerGas,
          postOpGasLimit: operation.paymasterPostOpGasLimit!,
        };
        const charge = paymasterCharge(use);
        const { maxUsdc } = gasBound(operation, local, maxEthUsd);
        expect(maxUsdc).toBeGreaterThanOrEqual(charge);
        expect(maxUsdc - charge).toBeLessThanOrEqual(2n);
      }),
    );
  });

  it('behavior: cents of the price count', () => {
    const operation = { preVerificationGas: 10n ** 9n, maxFeePerGas: 10n ** 9n } as unknown as UserOperation;
    const zero = { callGasLimit: 0n, verificationGasLimit: 0n };
    const at = (price: number) => gasBound({ ...operation, ...zero }, local, price).maxUsdc;
    expect(at(2_500.01) - at(2_500)).toBeGreaterThan(0n);
  });
});
