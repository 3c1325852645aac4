import { type Address, type Hex, type PrivateKeyAccount, BaseError, parseEventLogs } from 'viem';
import { type UserOperation, getUserOperationHash, toPackedUserOperation } from 'viem/account-abstraction';
import { type ContractAddresses, canonical } from '../../src/address-book.js';
import { entryPointV08Abi } from '../../src/generated/EntryPointV08.js';
import { delegate, farFuture, initializeCall, signHash } from './account.js';
import { type TestChain, operator } from './chain.js';
import { decodeRevert } from './reverts.js';
import { encode } from './calls.js';

/** Our contracts on a test chain. */
export interface Setting {
  readonly chain: TestChain;
  readonly localContracts: ContractAddresses;
}

export type Operation = UserOperation<'0.8'>;

/** The events of the entry point. */
export const entryPointEvents = entryPointV08Abi;

/** A wallet set up with these contracts, an allowance of 100 USDC for its paymaster, and 1000 USDC. */
export async function configuredWallet({ chain, localContracts }: Setting): Promise<PrivateKeyAccount> {
  const wallet = await chain.agent();
  const receipt = await delegate(
    chain,
    wallet,
    initializeCall(chain.usdc, localContracts),
    localContracts.account,
  );
  if (receipt.status !== 'success') throw new Error('setup reverted');
  await chain.setUsdc(wallet.address, 1_000_000_000n);
  return wallet;
}

export async function buildOperation(
  { chain, localContracts }: Setting,
  sender: Address,
  callData: Hex,
  overrides: Partial<Operation> = {},
): Promise<Operation> {
  const nonce = await chain.read(canonical.entryPointV08, entryPointV08Abi, 'getNonce', [
    sender,
    BigInt(localContracts.validator) << 32n,
  ]);
  return {
    sender,
    nonce,
    callData,
    callGasLimit: 300_000n,
    verificationGasLimit: 150_000n,
    preVerificationGas: 60_000n,
    maxFeePerGas: 3_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
    paymaster: localContracts.paymaster,
    paymasterVerificationGasLimit: 150_000n,
    paymasterPostOpGasLimit: 40_000n,
    paymasterData: '0x',
    signature: '0x',
    ...overrides,
  };
}

export const gasLimitsOf = (operation: Operation): bigint =>
  operation.callGasLimit +
  operation.verificationGasLimit +
  operation.preVerificationGas +
  (operation.paymasterVerificationGasLimit ?? 0n) +
  (operation.paymasterPostOpGasLimit ?? 0n);

export async function signOperation(
  { chain }: Setting,
  wallet: PrivateKeyAccount,
  operation: Operation,
): Promise<Operation> {
  const hash = getUserOperationHash({
    chainId: chain.chainId,
    entryPointAddress: canonical.entryPointV08,
    entryPointVersion: '0.8',
    userOperation: operation,
  });
  return { ...operation, signature: await signHash(chain, wallet, hash, { expiry: farFuture }) };
}

/** Send as a bundler does. */
export async function runOperation({ chain }: Setting, operation: Operation) {
  const receipt = await chain.mined(
    chain.wallet.sendTransaction({
      to: canonical.entryPointV08,
      data: handleOpsData(operation),
      gas: 5_000_000n,
      maxFeePerGas: 3_000_000_000n,
      maxPriorityFeePerGas: 1_000_000_000n,
    }),
  );
  if (receipt.status !== 'success') throw new Error('handleOps reverted');
  return { receipt, events: parseEventLogs({ abi: entryPointEvents, logs: receipt.logs }) };
}

/** Why the entry point refuses an operation: its AA text, then the inner error. */
export async function refusalOf({ chain }: Setting, operation: Operation): Promise<readonly unknown[]> {
  const to = canonical.entryPointV08;
  try {
    await chain.client.call({ to, data: handleOpsData(operation), account: operator.address });
  } catch (error) {
    const cause =
      error instanceof BaseError &&
      error.walk((inner) => typeof (inner as { data?: unknown }).data === 'string');
    if (!cause) throw error;
    return decodeRevert((cause as unknown as { data: Hex }).data);
  }
  throw new Error('the entry point accepted it');
}

function handleOpsData(operation: Operation): Hex {
  return encode(entryPointV08Abi, 'handleOps', [
    [toPackedUserOperation(operation)],
    '0x000000000000000000000000000000000000bEEF',
  ]);
}
