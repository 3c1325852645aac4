import { canonical, localContracts } from '@yield-vault/contracts';
import { encodeAccountCall, nonceKey, stubIntentSignature } from '@yield-vault/smart-account';
import { parseGwei, type PrivateKeyAccount } from 'viem';
import { benchVault } from '../gas/measure-gas.js';
import { signOperation, type SignedOperation } from '../sign-operation.js';

const intentLifetimeSeconds = 3_600;
const depositAssets = 25_000_000n;
// Generous: this benchmark does not measure the bundler's estimate.
const gasLimits = {
  callGasLimit: 600_000n,
  verificationGasLimit: 300_000n,
  preVerificationGas: 60_000n,
  paymasterVerificationGasLimit: 200_000n,
  paymasterPostOpGasLimit: 150_000n,
};

/** Sign the first operation of a wallet that is set up: a deposit, its gas paid in USDC. */
export function signDeposit(account: PrivateKeyAccount): Promise<SignedOperation> {
  const window = { expiry: Math.floor(Date.now() / 1000) + intentLifetimeSeconds, validAfter: 0 };
  const { address, asset } = benchVault();
  return signOperation(
    account,
    {
      sender: account.address,
      nonce: nonceKey(localContracts.validator) << 64n,
      callData: encodeAccountCall([
        { hook: 'deposit', vault: address, token: asset, amount: depositAssets, minShares: 1n },
      ]),
      ...gasLimits,
      maxFeePerGas: parseGwei('2'),
      maxPriorityFeePerGas: parseGwei('1'),
      paymaster: localContracts.paymaster,
      paymasterData: '0x',
      signature: stubIntentSignature(window.expiry, window.validAfter),
    },
    window,
    { entryPoint: canonical.entryPointV08, chainId: 8453 },
  );
}
