import type { UserOperation } from '@yield-vault/protocol';
import type { Address, Hex } from 'viem';

/** Paymaster data for the gas estimate of an operation. */
export interface PaymasterStubData {
  readonly paymaster: Address;
  readonly paymasterData: Hex;
  readonly paymasterVerificationGasLimit?: bigint;
  readonly paymasterPostOpGasLimit?: bigint;
  /** Whether this data is final, so that no further request is needed. */
  readonly isFinal: boolean;
}

/** Paymaster data that the wallet signs. Limits are present where the service signed for them. */
export interface PaymasterData {
  readonly paymaster: Address;
  readonly paymasterData: Hex;
  readonly paymasterVerificationGasLimit?: bigint;
  readonly paymasterPostOpGasLimit?: bigint;
}

/** Price of gas in a token: (wei + `postOpGas` × fee) × `exchangeRate` / 1e18. */
export interface PaymasterTokenQuote {
  readonly paymaster: Address;
  readonly token: Address;
  /** Base units of the token for one ether. */
  readonly exchangeRate: bigint;
  readonly postOpGas: bigint;
}

/**
 * An ERC-7677 paymaster service of one chain and entry point. Requests carry the context of the deployment.
 *
 * Every method throws `UpstreamUnavailableError` when the service refuses or gives no usable response: the caller of
 * prepare can cure neither.
 */
export interface PaymasterService {
  /** `pm_getPaymasterStubData`. */
  stubData(userOp: UserOperation): Promise<PaymasterStubData>;
  /** `pm_getPaymasterData`. */
  data(userOp: UserOperation): Promise<PaymasterData>;
  /** `pimlico_getTokenQuotes`, which services that take tokens share. */
  tokenQuote(token: Address): Promise<PaymasterTokenQuote>;
}
