import type { UserOperation } from '@yield-vault/protocol';
import type { Address, Hex } from 'viem';

/** What an operation is estimated with. */
export interface PaymasterStubData {
  readonly paymaster: Address;
  readonly paymasterData: Hex;
  readonly paymasterVerificationGasLimit?: bigint;
  readonly paymasterPostOpGasLimit?: bigint;
  /** Whether the data is already what is signed, so that nothing more has to be asked. */
  readonly isFinal: boolean;
}

/** What an operation is signed with. Limits are those that the service signed for, where it says so. */
export interface PaymasterData {
  readonly paymaster: Address;
  readonly paymasterData: Hex;
  readonly paymasterVerificationGasLimit?: bigint;
  readonly paymasterPostOpGasLimit?: bigint;
}

/** What a paymaster takes in a token: (wei + `postOpGas` × fee) × `exchangeRate` / 1e18. */
export interface PaymasterTokenQuote {
  readonly paymaster: Address;
  readonly token: Address;
  /** Base units of the token for one ether. */
  readonly exchangeRate: bigint;
  readonly postOpGas: bigint;
}

/**
 * An ERC-7677 paymaster service of one chain and entry point, asked with the context of the deployment.
 *
 * Every method throws `UpstreamUnavailableError` when the service refuses or gives no usable answer: who prepares an
 * operation can cure neither.
 */
export interface PaymasterService {
  /** `pm_getPaymasterStubData`. */
  stubData(userOp: UserOperation): Promise<PaymasterStubData>;
  /** `pm_getPaymasterData`. */
  data(userOp: UserOperation): Promise<PaymasterData>;
  /** `pimlico_getTokenQuotes`, which services that take tokens share. */
  tokenQuote(token: Address): Promise<PaymasterTokenQuote>;
}
