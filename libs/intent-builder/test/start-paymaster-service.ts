import { signLocalServicePaymaster } from '@yield-vault/testing/local';
import { startFakeRpc, type FakeRpc, type RpcHandler } from '@yield-vault/testing';
import { numberToHex, type Address, type Hex } from 'viem';
import { formatUserOperation, type RpcUserOperation } from 'viem/account-abstraction';
import { privateKeyToAccount } from 'viem/accounts';

/** Approvals of a service, and their validity. May be changed while it runs. */
export interface ServiceTerms {
  validForSeconds: number;
  /** Base units of USDC for one ether; 0 takes nothing. */
  tokenPerNative: bigint;
}

// Gas that the paymaster contract adds to the gas that the entry point reports.
const postOpGas = 30_000n;
const postOpGasLimit = 60_000n;
// The stub is refused before any charge, so the bundler's estimate is too low.
const verificationGasLimit = 130_000n;
// Well formed, without a known signer.
const stubData: Hex = `0x${'00'.repeat(28)}${'79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'}${'33'.repeat(32)}1b`;

/** An ERC-7677 service over HTTP that signs for a local service paymaster. */
export async function startPaymasterService(
  chain: { readonly chainId: number; readonly paymaster: Address; readonly usdc: Address },
  key: Hex,
  terms: ServiceTerms,
): Promise<FakeRpc & { readonly handlers: Record<string, RpcHandler> }> {
  const { chainId, paymaster, usdc } = chain;
  const service = privateKeyToAccount(key);
  const handlers: Record<string, RpcHandler> = {
    pm_getPaymasterStubData: () => ({
      sponsor: { name: 'Local service' },
      paymaster,
      paymasterData: stubData,
      paymasterVerificationGasLimit: numberToHex(verificationGasLimit),
      paymasterPostOpGasLimit: numberToHex(postOpGasLimit),
    }),
    pm_getPaymasterData: async ([userOp]) => {
      const operation = formatUserOperation(userOp as RpcUserOperation<'0.8'>);
      const validUntil = Math.floor(Date.now() / 1000) + terms.validForSeconds;
      const { tokenPerNative } = terms;
      const approval = { chainId, paymaster, validUntil, tokenPerNative };
      return { paymaster, paymasterData: await signLocalServicePaymaster(service, operation, approval) };
    },
    pimlico_getTokenQuotes: () => ({
      quotes: [
        {
          paymaster,
          token: usdc,
          exchangeRate: numberToHex(terms.tokenPerNative),
          // The penalty for a limit above 40 000 is charged as well.
          postOpGas: numberToHex(postOpGas + postOpGasLimit / 10n),
        },
      ],
    }),
  };
  return { ...(await startFakeRpc(handlers)), handlers };
}
