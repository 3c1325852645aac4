import { postOpPenaltyThreshold } from '@yield-vault/contracts';
import { encodeGasGrant } from '@yield-vault/smart-account';
import { deploymentsOn } from '../delegation/describe-delegation.js';
import { FlowError } from '../errors.js';
import { agentAddressBook, type AddressBook } from '../verify/address-book.js';
import { mergeGasLimits } from '../verify/gas-limits.js';

// The account pays from a grant, which an estimate with a stub signature lacks.
const grantGas = 64_000n;

/**
 * Pay the gas of a `YieldVaultSmartAccount` in USDC: the `paymaster` of a bundler client. Each operation grants the
 * paymaster of the address book at most `maxGasUsdc`, in base units; by default the limit of the deployment.
 *
 * @throws {UnknownChainError | FlowError} when an operation is prepared on a chain without a paymaster that takes grants
 * @example
 * const bundler = createBundlerClient({ account, client, transport, paymaster: usdcPaymaster({ addressBook }) });
 */
export function usdcPaymaster({
  addressBook = agentAddressBook,
  maxGasUsdc,
}: { readonly addressBook?: AddressBook; readonly maxGasUsdc?: bigint } = {}) {
  const getPaymasterData = ({ chainId }: { readonly chainId: number }) => {
    const deployment = deploymentsOn(addressBook, chainId).find(({ paymaster }) => paymaster.kind === 'own');
    if (!deployment)
      throw new FlowError(
        'UNKNOWN_CHAIN',
        `The address book has no paymaster on chain ${chainId} that takes grants. Add one by extendAddressBook.`,
      );
    const { maxGasUsdc: maximum } = mergeGasLimits(deployment, { maxGasUsdc });
    return Promise.resolve({
      paymaster: deployment.paymaster.address,
      paymasterData: encodeGasGrant({ token: deployment.usdc, maximum }),
      paymasterVerificationGasLimit: grantGas,
      paymasterPostOpGasLimit: postOpPenaltyThreshold,
    });
  };
  return { getPaymasterData, getPaymasterStubData: getPaymasterData };
}
