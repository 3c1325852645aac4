import {
  type Address,
  type Hex,
  type PrivateKeyAccount,
  BaseError,
  encodeFunctionData,
  parseEventLogs,
} from 'viem';
import { type UserOperation, getUserOperationHash, toPackedUserOperation } from 'viem/account-abstraction';
import {
  type SuiteAddresses,
  type SuiteEntryPointVersion,
  entryPointDeployment,
} from '../../src/address-book.js';
import { entryPointV07Abi } from '../../src/generated/EntryPointV07.js';
import { entryPointV08Abi } from '../../src/generated/EntryPointV08.js';
import { delegate, farFuture, initializeCall, signHash } from './account.js';
import { type TestChain, operator } from './chain.js';
import { decodeRevert } from './reverts.js';

/** A suite for one entry point on a test chain. */
export interface Setting {
  readonly chain: TestChain;
  readonly version: SuiteEntryPointVersion;
  readonly suite: SuiteAddresses;
}

export type Operation = UserOperation<'0.8'>;

/** The events of an entry point; both versions emit the same. */
export const entryPointEvents = entryPointV08Abi;
const abis = { '0.7': entryPointV07Abi, '0.8': entryPointV08Abi } as const;

/** A wallet with this suite set up, an allowance of 100 USDC for its paymaster, and 1000 USDC. */
export async function configuredWallet({ chain, suite }: Setting): Promise<PrivateKeyAccount> {
  const wallet = await chain.agent();
  const receipt = await delegate(chain, wallet, initializeCall(chain.usdc, suite), suite.account);
  if (receipt.status !== 'success') throw new Error('setup reverted');
  await chain.setUsdc(wallet.address, 1_000_000_000n);
  return wallet;
}

export async function buildOperation(
  { chain, version, suite }: Setting,
  sender: Address,
  callData: Hex,
  overrides: Partial<Operation> = {},
): Promise<Operation> {
  const nonce = await chain.client.readContract({
    address: entryPointDeployment(version).address,
    abi: entryPointV08Abi,
    functionName: 'getNonce',
    args: [sender, BigInt(suite.validator) << 32n],
  });
  return {
    sender,
    nonce,
    callData,
    callGasLimit: 300_000n,
    verificationGasLimit: 150_000n,
    preVerificationGas: 60_000n,
    maxFeePerGas: 3_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
    paymaster: suite.paymaster,
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
  { chain, version }: Setting,
  wallet: PrivateKeyAccount,
  operation: Operation,
): Promise<Operation> {
  const hash = getUserOperationHash({
    chainId: chain.chainId,
    entryPointAddress: entryPointDeployment(version).address,
    entryPointVersion: version,
    userOperation: operation,
  });
  return { ...operation, signature: await signHash(chain, wallet, hash, { expiry: farFuture }) };
}

/** Send as a bundler does. */
export async function runOperation({ chain, version }: Setting, operation: Operation) {
  const receipt = await chain.mined(
    chain.wallet.sendTransaction({
      to: entryPointDeployment(version).address,
      data: handleOpsData(version, operation),
      gas: 5_000_000n,
      maxFeePerGas: 3_000_000_000n,
      maxPriorityFeePerGas: 1_000_000_000n,
    }),
  );
  if (receipt.status !== 'success') throw new Error('handleOps reverted');
  return { receipt, events: parseEventLogs({ abi: entryPointEvents, logs: receipt.logs }) };
}

/** Why the entry point refuses an operation: its AA text, then the inner error. */
export async function refusalOf(
  { chain, version }: Setting,
  operation: Operation,
): Promise<readonly unknown[]> {
  const to = entryPointDeployment(version).address;
  try {
    await chain.client.call({ to, data: handleOpsData(version, operation), account: operator.address });
  } catch (error) {
    const cause =
      error instanceof BaseError &&
      error.walk((inner) => typeof (inner as { data?: unknown }).data === 'string');
    if (!cause) throw error;
    return decodeRevert((cause as unknown as { data: Hex }).data);
  }
  throw new Error('the entry point accepted it');
}

function handleOpsData(version: SuiteEntryPointVersion, operation: Operation): Hex {
  return encodeFunctionData({
    abi: abis[version],
    functionName: 'handleOps',
    args: [[toPackedUserOperation(operation)], '0x000000000000000000000000000000000000bEEF'],
  });
}
