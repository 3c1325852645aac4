import { asUpstreamError, type ActiveChain } from '@yield-vault/chains';
import {
  paymasterCharge,
  paymasterRefreshGas,
  postOpPenaltyThreshold,
  usdcPaymasterAbi,
} from '@yield-vault/contracts';
import { encodeGasGrant } from '@yield-vault/smart-account';
import { maxUint256, maxUint96, parseAbi, type Address, type Hex } from 'viem';
import { paymasterUnavailable } from '../errors.js';
import { servicePaymaster } from './paymaster-service.js';
import type { GasUse, Paymaster, PaymasterTerms } from './types.js';

const circlePaymasterAbi = parseAbi([
  'function fetchPrice() view returns (uint256)',
  'function additionalGasCharge() view returns (uint32)',
  'function feeSpread() view returns (uint32)',
]);
const weiPerEther = 10n ** 18n;
const twoMinutes = 120;

/** The paymaster that a chain is configured with. */
export function paymasterOf(chain: ActiveChain, now: () => number = Date.now): Paymaster {
  const { paymaster, paymasterService } = chain;
  if (paymasterService) return servicePaymaster(chain, paymasterService);
  return paymaster.kind === 'circle' ? circlePaymaster(chain) : ownPaymaster(chain, now);
}

// Validation takes 41.5k on cold storage, and 17.1k more while the paymaster holds no USDC. Measured.
const grantGas = 64_000n;

/**
 * Our own paymaster: the account grants it what the operation may cost. Its stored price expires. An operation in the last
 * tenth of the price's life gets enough `postOp` gas to refresh it.
 *
 * @param now - milliseconds since 1970
 */
export function ownPaymaster(chain: ActiveChain, now: () => number = Date.now): Paymaster {
  const { paymaster } = chain.contracts;
  const contract = { address: paymaster, abi: usdcPaymasterAbi } as const;
  const grant = (maximum: bigint) => encodeGasGrant({ token: chain.usdc, maximum });
  const terms = async (): Promise<PaymasterTerms> => {
    const response = chain.rpc.multicall({
      allowFailure: false,
      contracts: [
        { ...contract, functionName: 'tokenPerNative' },
        { ...contract, functionName: 'terms' },
      ],
    });
    const [[tokenPerNative, validUntil], [, , refreshAt, , operationCeiling]] = await readPrice(
      chain,
      response,
    );
    const seconds = now() / 1000;
    // A limit up to the threshold costs no penalty.
    const postOpGasAt = (time: number) => (time < refreshAt ? postOpPenaltyThreshold : paymasterRefreshGas);
    return {
      validUntil,
      operationCeiling,
      smallestPostOpGas: postOpGasAt(seconds),
      laterPostOpGas: postOpGasAt(seconds + twoMinutes),
      charge: (use) => paymasterCharge({ tokenPerNative, ...use }),
    };
  };
  return {
    terms,
    stub: () =>
      Promise.resolve({
        // The longest in calldata gas.
        fields: { paymaster, paymasterData: grant(maxUint96) },
        smallestVerificationGas: grantGas,
        isWithoutPayment: true,
        isFinal: false,
      }),
    data: (_operation, _stub, budget) =>
      Promise.resolve({ paymasterData: grant(budget), validUntil: Infinity, validAfter: 0 }),
  };
}

/**
 * Circle's paymaster. Its price does not expire, and only the allowance limits its charge. It rejects operations whose
 * `postOp` gas is below its gas charge.
 */
export function circlePaymaster(chain: ActiveChain): Paymaster {
  const { paymaster } = chain.contracts;
  const contract = { address: paymaster, abi: circlePaymasterAbi } as const;
  return allowancePaymaster(paymaster, async () => {
    const response = chain.rpc.multicall({
      allowFailure: false,
      contracts: [
        { ...contract, functionName: 'fetchPrice' },
        { ...contract, functionName: 'additionalGasCharge' },
        { ...contract, functionName: 'feeSpread' },
      ],
    });
    const [tokenPerNative, additionalGas, spreadBps] = await readPrice(chain, response);
    const additionalGasCharge = BigInt(additionalGas);
    const rate = { tokenPerNative, additionalGasCharge, feeSpreadBps: BigInt(spreadBps) };
    const postOpGas =
      additionalGasCharge > postOpPenaltyThreshold ? additionalGasCharge : postOpPenaltyThreshold;
    return {
      validUntil: Infinity,
      operationCeiling: maxUint256,
      smallestPostOpGas: postOpGas,
      laterPostOpGas: postOpGas,
      charge: (use) => circleCharge(rate, use),
    };
  });
}

/** The price of Circle's paymaster. */
export interface CircleRate {
  /** Base units of USDC for one ether; `fetchPrice()`. */
  readonly tokenPerNative: bigint;
  /** Gas that is charged for `postOp`; `additionalGasCharge()`. */
  readonly additionalGasCharge: bigint;
  /** Surcharge in basis points; `feeSpread()`. */
  readonly feeSpreadBps: bigint;
}

/**
 * Compute the charge of Circle's paymaster as the contract does. With the five limits and `maxFeePerGas`, this is the
 * prefund of its validation.
 *
 * @returns base units of USDC
 */
export function circleCharge(
  rate: CircleRate,
  { gas, feePerGas }: Pick<GasUse, 'gas' | 'feePerGas'>,
): bigint {
  const wei = (gas + rate.additionalGasCharge) * feePerGas;
  const base = (wei * rate.tokenPerNative) / weiPerEther + 1n;
  return base + (base * rate.feeSpreadBps) / 10_000n;
}

// What Alto estimates on cold storage. Behind another operation of the paymaster its estimate is lower, and too low.
const transferGas = 70_000n;
const permitGas = 145_000n;

/**
 * Make a paymaster that needs only an allowance: estimate and signature need no request.
 *
 * @param paymasterData - a permit, where the allowance is missing
 */
export function allowancePaymaster(
  paymaster: Address,
  terms: Paymaster['terms'],
  paymasterData: Hex = '0x',
): Paymaster {
  const fields = { paymaster, paymasterData };
  const smallestVerificationGas = paymasterData === '0x' ? transferGas : permitGas;
  return {
    terms,
    stub: () => Promise.resolve({ fields, smallestVerificationGas, isFinal: true }),
    // The terms limit the validity, and are known before the estimate.
    data: () => Promise.resolve({ paymasterData, validUntil: Infinity, validAfter: 0 }),
  };
}

function readPrice<T>(chain: ActiveChain, response: Promise<T>): Promise<T> {
  return response.catch((error: unknown) => {
    throw (
      asUpstreamError(error, `rpc:${chain.key}`) ??
      paymasterUnavailable(chain, 'The paymaster quotes no price.', error)
    );
  });
}
