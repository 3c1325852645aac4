import {
  type Address,
  type Hex,
  type PrivateKeyAccount,
  concatHex,
  encodeAbiParameters,
  encodePacked,
  hashTypedData,
  keccak256,
  numberToHex,
  pad,
  parseEventLogs,
  size,
} from 'viem';
import { entryPointV08Abi } from '../../src/generated/EntryPointV08.js';
import { yieldVaultAccountAbi } from '../../src/generated/YieldVaultAccount.js';
import { type TestChain, entryPoint, operator, localContracts } from './chain.js';
import { encode } from './calls.js';

export const max = 2n ** 256n - 1n;
export const intentTypes = {
  Intent: [
    { name: 'merkleRoot', type: 'bytes32' },
    { name: 'chainId', type: 'uint256' },
    { name: 'expiry', type: 'uint48' },
    { name: 'validAfter', type: 'uint48' },
  ],
} as const;

const word = (value: bigint) => numberToHex(value, { size: 32 });

export const depositHook = (vault: Address, token: Address, amount: bigint, minShares: bigint): Hex =>
  concatHex(['0x01', vault, token, word(amount), word(minShares)]);
export const redeemHook = (vault: Address, token: Address, shares: bigint, minAssets: bigint): Hex =>
  concatHex(['0x02', vault, token, word(shares), word(minAssets)]);
export const approvePaymasterHook = (amount: bigint): Hex => concatHex(['0x03', word(amount)]);

/** Calldata of the account's ERC-7579 `execute` in single mode. */
export const singleCall = (target: Address, data: Hex, value = 0n): Hex =>
  encode(yieldVaultAccountAbi, 'execute', [
    pad('0x', { size: 32 }),
    encodePacked(['address', 'uint256', 'bytes'], [target, value, data]),
  ]);

export const executorCall = (...hooks: readonly Hex[]): Hex =>
  encode(yieldVaultAccountAbi, 'runHooks', [concatHex(hooks)]);

export const initializeCall = (
  usdc: Address,
  {
    paymaster = localContracts.paymaster,
    allowance = 100_000_000n,
  }: { paymaster?: Address; allowance?: bigint } = {},
): Hex => encode(yieldVaultAccountAbi, 'initializeAccount', [usdc, paymaster, allowance]);

/** Type-4 transaction: delegate and run `data` as a call of the account to itself. */
export async function delegate(
  chain: TestChain,
  agent: PrivateKeyAccount,
  data: Hex = initializeCall(chain.usdc),
  implementation: Address = localContracts.account,
) {
  const wallet = chain.walletOf(agent);
  const authorization = await wallet.signAuthorization({ contractAddress: implementation, executor: 'self' });
  return chain.mined(
    wallet.sendTransaction({ authorizationList: [authorization], to: agent.address, data, gas: 1_000_000n }),
  );
}

/** A configured account with some USDC. */
export async function configuredAgent(chain: TestChain, usdc = 1_000_000_000n): Promise<PrivateKeyAccount> {
  const agent = await chain.agent();
  const receipt = await delegate(chain, agent);
  if (receipt.status !== 'success') throw new Error('setup reverted');
  await chain.setUsdc(agent.address, usdc);
  return agent;
}

export interface PackedUserOperation {
  sender: Address;
  nonce: bigint;
  initCode: Hex;
  callData: Hex;
  accountGasLimits: Hex;
  preVerificationGas: bigint;
  gasFees: Hex;
  paymasterAndData: Hex;
  signature: Hex;
}

const pair = (high: bigint, low: bigint): Hex =>
  concatHex([numberToHex(high, { size: 16 }), numberToHex(low, { size: 16 })]);

export const usdcPaymasterAndData = (verificationGas = 120_000n, postOpGas = 40_000n): Hex =>
  concatHex([localContracts.paymaster, pair(verificationGas, postOpGas)]);

export async function buildUserOp(
  chain: TestChain,
  sender: Address,
  callData: Hex,
  overrides: Partial<PackedUserOperation> = {},
  limits: { verification?: bigint; call?: bigint; validator?: Address } = {},
): Promise<PackedUserOperation> {
  const nonce = await chain.read(entryPoint, entryPointV08Abi, 'getNonce', [
    sender,
    BigInt(limits.validator ?? localContracts.validator) << 32n,
  ]);
  return {
    sender,
    nonce,
    initCode: '0x',
    callData,
    accountGasLimits: pair(limits.verification ?? 150_000n, limits.call ?? 300_000n),
    preVerificationGas: 60_000n,
    gasFees: pair(1_000_000_000n, 3_000_000_000n),
    paymasterAndData: usdcPaymasterAndData(),
    signature: '0x',
    ...overrides,
  };
}

export const hashUserOp = (chain: TestChain, userOp: PackedUserOperation): Promise<Hex> =>
  chain.read(entryPoint, entryPointV08Abi, 'getUserOpHash', [userOp]);

export const leafOf = (
  hash: Hex,
  expiry: number,
  validAfter: number,
  validator: Address = localContracts.validator,
): Hex =>
  keccak256(
    keccak256(
      encodeAbiParameters(
        [{ type: 'bytes32' }, { type: 'uint48' }, { type: 'uint48' }, { type: 'address' }],
        [hash, expiry, validAfter, validator],
      ),
    ),
  );

export const intentTypedData = (
  chainId: number,
  merkleRoot: Hex,
  expiry: number,
  validAfter: number,
  validator: Address = localContracts.validator,
) =>
  ({
    domain: { name: 'YieldVaultIntent', version: '1', chainId, verifyingContract: validator },
    types: intentTypes,
    primaryType: 'Intent',
    message: { merkleRoot, chainId: BigInt(chainId), expiry, validAfter },
  }) as const;

export const intentDigest = (...args: Parameters<typeof intentTypedData>): Hex =>
  hashTypedData(intentTypedData(...args));

export const packSignature = (
  expiry: number,
  validAfter: number,
  signature: Hex,
  proof: readonly Hex[] = [],
): Hex =>
  concatHex([numberToHex(expiry, { size: 6 }), numberToHex(validAfter, { size: 6 }), signature, ...proof]);

export const farFuture = 4_000_000_000;

export interface SignOptions {
  expiry?: number;
  validAfter?: number;
  chainId?: number;
  validator?: Address;
  /** Sibling hashes, bottom up. */
  proof?: readonly Hex[];
}

const hashPair = (a: Hex, b: Hex): Hex =>
  keccak256(concatHex(a.toLowerCase() < b.toLowerCase() ? [a, b] : [b, a]));

/** Sign a tree that holds `hash`. */
export async function signHash(
  chain: TestChain,
  signer: PrivateKeyAccount,
  hash: Hex,
  {
    expiry = farFuture,
    validAfter = 0,
    chainId = chain.chainId,
    validator = localContracts.validator,
    proof = [],
  }: SignOptions = {},
): Promise<Hex> {
  const root = proof.reduce(hashPair, leafOf(hash, expiry, validAfter, validator));
  const signature = await signer.signTypedData(intentTypedData(chainId, root, expiry, validAfter, validator));
  return packSignature(expiry, validAfter, signature, proof);
}

export async function signUserOp(
  chain: TestChain,
  signer: PrivateKeyAccount,
  userOp: PackedUserOperation,
  options: SignOptions = {},
): Promise<PackedUserOperation> {
  return { ...userOp, signature: await signHash(chain, signer, await hashUserOp(chain, userOp), options) };
}

const handleOpsRequest = (userOps: readonly PackedUserOperation[]) =>
  ({
    address: entryPoint,
    abi: entryPointV08Abi,
    functionName: 'handleOps',
    args: [userOps, '0x000000000000000000000000000000000000bEEF'],
  }) as const;

/** Send as a bundler does; the revert of `handleOps` itself surfaces as viem's ContractFunctionRevertedError. */
export async function handleOps(chain: TestChain, ...userOps: readonly PackedUserOperation[]) {
  await chain.client.simulateContract({
    ...handleOpsRequest(userOps),
    account: operator.address,
    gas: 5_000_000n,
  });
  const receipt = await chain.mined(
    chain.wallet.writeContract({
      ...handleOpsRequest(userOps),
      gas: 5_000_000n,
      maxFeePerGas: 3_000_000_000n,
      maxPriorityFeePerGas: 1_000_000_000n,
    }),
  );
  const events = parseEventLogs({ abi: entryPointV08Abi, logs: receipt.logs });
  const ended = events.find(({ eventName }) => eventName === 'UserOperationEvent');
  /** The last one's arguments: whether the operation succeeded, and what it cost. */
  const outcome = ended?.eventName === 'UserOperationEvent' ? ended.args : undefined;
  return { receipt, events, outcome };
}

/** Gas of the bytes as calldata of a transaction. */
export const calldataGas = (data: Hex): bigint => {
  let gas = 0n;
  for (let i = 0; i < size(data); i++) gas += data.slice(2 + 2 * i, 4 + 2 * i) === '00' ? 4n : 16n;
  return gas;
};
