import { knownChains } from '@yield-vault/contracts';
import type { UserOperation } from '@yield-vault/protocol';
import { withMargins } from '../../src/gas-limits.js';
import type { PaymasterTerms } from '../../src/types.js';

const draft = {
  sender: '0x0000000000000000000000000000000000000001',
  nonce: 0n,
  callData: '0x',
  maxFeePerGas: 1n,
  maxPriorityFeePerGas: 1n,
  signature: `0x${'11'.repeat(77)}`,
} as unknown as UserOperation;
const gas = {
  callGasLimit: 100_000n,
  verificationGasLimit: 100_000n,
  preVerificationGas: 200_000n,
  paymasterVerificationGasLimit: 64_000n,
  paymasterPostOpGasLimit: 40_000n,
};

it.each(
  knownChains.filter(({ l1FeeOracle }) => l1FeeOracle).map(({ key, chainId }) => [key, chainId] as const),
)('%s has the fee of L1 in preVerificationGas, so it gets the margin of a rollup', (_, chainId) => {
  const terms = { smallestPostOpGas: 40_000n } as PaymasterTerms;
  const { preVerificationGas } = withMargins(chainId, draft, gas, terms, {
    fields: {},
    isFinal: false,
  } as never);
  expect(preVerificationGas).toBe(210_000n);
});
