import { entryPointV08Abi } from '@yield-vault/contracts';
import { nonceKey } from '@yield-vault/smart-account';
import { encodeAbiParameters, numberToHex, parseGwei, toFunctionSelector, type Hex } from 'viem';
import { local } from './book.js';
import { deposit } from './build-prepared.js';

const getNonce = toFunctionSelector(
  entryPointV08Abi.find((item) => 'name' in item && item.name === 'getNonce')!,
);

/** Values that a node reads, unless a test gives others. */
export interface NodeValues {
  readonly sequence?: bigint;
  /** Shares, or assets. */
  readonly quote?: bigint;
  readonly gasPrice?: bigint;
  /** Base units of USDC. */
  readonly etherPrice?: bigint;
  readonly l1FeeWei?: bigint;
}

/** Handlers of a fake node for the reads of a verification. */
export function nodeReads(values: () => NodeValues = () => ({})) {
  return {
    eth_gasPrice: () => numberToHex(values().gasPrice ?? parseGwei('0.2')),
    eth_call: ([call]: readonly unknown[]): Hex => {
      const { data } = call as { readonly data: Hex };
      const { sequence = 7n, quote = deposit.minShares, etherPrice = 2_500_000_000n } = values();
      // 1,200 bytes while the base fee of Ethereum is 2 gwei.
      const { l1FeeWei = 240_000_000_000n } = values();
      const results: Readonly<Record<Hex, bigint>> = {
        [getNonce]: (nonceKey(local.validator) << 64n) | sequence,
        [toFunctionSelector('decimals()')]: 18n,
        [toFunctionSelector('nonces(address)')]: 3n,
        [toFunctionSelector('terms()')]: etherPrice,
        [toFunctionSelector('fetchPrice()')]: etherPrice,
        [toFunctionSelector('getL1FeeUpperBound(uint256)')]: l1FeeWei,
      };
      return encodeAbiParameters([{ type: 'uint256' }], [results[data.slice(0, 10) as Hex] ?? quote]);
    },
  };
}
