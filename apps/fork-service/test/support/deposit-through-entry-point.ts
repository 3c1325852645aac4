import { canonical, entryPointV08Abi, localContracts } from '@yield-vault/contracts';
import { localVaults } from '@yield-vault/testing/local';
import { setUpWallet } from '@yield-vault/devnet';
import type { Fork } from '@yield-vault/forks';
import { fromWireUserOperation } from '@yield-vault/protocol';
import { encodeAccountCall, encodeIntentSignature, nonceKey } from '@yield-vault/smart-account';
import { buildIntentEnvelope, signIntent, testAccount, testKey } from '@yield-vault/testing';
import {
  createPublicClient,
  encodeFunctionData,
  erc20Abi,
  formatTransactionReceipt,
  http,
  numberToHex,
  parseEther,
  parseEventLogs,
  type RpcTransactionReceipt,
} from 'viem';
import { toPackedUserOperation } from 'viem/account-abstraction';

const chainId = 8453;
const usdc = canonical.usdc[chainId];

/**
 * Take a wallet from nothing to a deposit: funding, the setup transaction through the public RPC, and a signed user
 * operation through the entry point, as the bundler sends it.
 */
export async function depositThroughEntryPoint(fork: Fork, bundler: `0x${string}`) {
  const wallet = testAccount('parity');
  const rpc = createPublicClient({ transport: http(fork.rpcUrl), pollingInterval: 50 });
  const funded = await fork.fund({
    address: wallet.address,
    ethWei: parseEther('0.01'),
    usdcBaseUnits: 50_000_000n,
  });

  await setUpWallet({ rpcUrl: fork.rpcUrl, chainId }, wallet);

  const vault = localVaults[chainId].find(({ kind, asset }) => kind === 'steady' && asset === 'USDC');
  if (!vault) throw new Error('there is no steady vault');
  const deposit = {
    hook: 'deposit',
    vault: vault.address,
    token: usdc,
    amount: 10_000_000n,
    minShares: 1n,
  } as const;
  const { userOps, signing, expiry, validAfter, proofs } = buildIntentEnvelope({
    chainId,
    entryPoint: canonical.entryPointV08,
    validator: localContracts.validator,
    operation: {
      sender: wallet.address,
      nonce: nonceKey(localContracts.validator) << 64n,
      callData: encodeAccountCall([deposit]),
      paymaster: localContracts.paymaster,
      paymasterVerificationGasLimit: 100_000n,
      paymasterPostOpGasLimit: 50_000n,
      paymasterData: '0x',
    },
  });
  const [userOp] = userOps;
  if (!userOp) throw new Error('the envelope has no operation');
  const signature = await signIntent(signing, testKey('parity'));
  const operation = {
    ...fromWireUserOperation(userOp.userOperation),
    signature: encodeIntentSignature({ expiry, validAfter, signature, proof: proofs[0] ?? [] }),
  };
  const data = encodeFunctionData({
    abi: entryPointV08Abi,
    functionName: 'handleOps',
    args: [[toPackedUserOperation(operation)], bundler],
  });
  await fork.request('anvil_impersonateAccount', [bundler]);
  const sent = { from: bundler, to: canonical.entryPointV08, data, gas: numberToHex(2_000_000) };
  const raw = await fork.request('eth_sendTransactionSync', [sent]);
  const bundle = formatTransactionReceipt(raw as RpcTransactionReceipt);
  const events = parseEventLogs({
    abi: entryPointV08Abi,
    eventName: 'UserOperationEvent',
    logs: bundle.logs,
  });
  const shares = await rpc.readContract({
    address: vault.address,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [wallet.address],
  });
  return {
    funded,
    code: await rpc.getCode({ address: wallet.address }),
    bundle: bundle.status === 'success',
    operations: events.map(({ args }) => args.success),
    hasShares: shares > 0n,
  };
}
