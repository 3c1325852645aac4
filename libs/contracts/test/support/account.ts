import {
  type Address,
  type Hex,
  type PrivateKeyAccount,
  concatHex,
  encodeAbiParameters,
  encodePacked,
  erc20Abi,
  keccak256,
  numberToHex,
  pad,
  toHex,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { entryPointV08Abi } from '../../src/generated/EntryPointV08.js';
import { yieldVaultAccountAbi } from '../../src/generated/YieldVaultAccount.js';
import { type TestChain, entryPoint, localContracts, onBase } from './chain.js';
import { encode } from './calls.js';

export const max = 2n ** 256n - 1n;
const intentTypes = {
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
export const depositKeepOneHook = (vault: Address, token: Address, amount: bigint, minShares: bigint): Hex =>
  concatHex(['0x81', vault, token, word(amount), word(minShares)]);
export const approveHook = (spender: Address, token: Address, amount: bigint): Hex =>
  concatHex(['0x03', spender, token, word(amount)]);

export const balanceOf = (chain: TestChain, token: Address, owner: Address) =>
  chain.read(token, erc20Abi, 'balanceOf', [owner]);
export const allowanceOf = (chain: TestChain, token: Address, owner: Address, spender: Address) =>
  chain.read(token, erc20Abi, 'allowance', [owner, spender]);

/** Set the allowance of a wallet's USDC. */
export const approveUsdc = (chain: TestChain, owner: PrivateKeyAccount, spender: Address, amount: bigint) =>
  chain.write(chain.usdc, erc20Abi, 'approve', [spender, amount], owner);

/** Calldata of a transfer of USDC by the account's `execute`. */
export const transferCall = (chain: TestChain, to: Address, amount: bigint): Hex =>
  singleCall(chain.usdc, encode(erc20Abi, 'transfer', [to, amount]));

/** Calldata of the account's ERC-7579 `execute` in single mode. */
export const singleCall = (target: Address, data: Hex, value = 0n): Hex =>
  encode(yieldVaultAccountAbi, 'execute', [
    pad('0x', { size: 32 }),
    encodePacked(['address', 'uint256', 'bytes'], [target, value, data]),
  ]);

export const executorCall = (...hooks: readonly Hex[]): Hex =>
  encode(yieldVaultAccountAbi, 'runHooks', [concatHex(hooks)]);

export const initializeCall = (): Hex => encode(yieldVaultAccountAbi, 'initializeAccount', []);

/** Type-4 transaction: delegate and run `data` as a call of the account to itself. */
export async function delegate(
  chain: TestChain,
  agent: PrivateKeyAccount,
  data: Hex = '0x',
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

/** A new key with USDC, and neither ether nor code. */
export async function newWallet(chain: TestChain): Promise<PrivateKeyAccount> {
  const wallet = privateKeyToAccount(generatePrivateKey());
  await chain.setUsdc(wallet.address, 1_000_000_000n);
  return wallet;
}

/** Code of an account that delegates to `implementation`. */
export const delegationTo = (implementation: Address): Hex =>
  concatHex(['0xef0100', implementation]).toLowerCase() as Hex;

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

export const pair = (high: bigint, low: bigint): Hex =>
  concatHex([numberToHex(high, { size: 16 }), numberToHex(low, { size: 16 })]);

const grantMark = keccak256(toHex('GasGrant(address token,uint96 maximum)')).slice(0, 10) as Hex;

/** The most that the account pays for gas, as it reads it in `paymasterData`. */
export const grantOf = (token: Address, maximum: bigint): Hex =>
  concatHex([grantMark, token, numberToHex(maximum, { size: 12 })]);

/** Our paymaster, its limits, and the most that it may ask for. On Base unless a chain is given. */
export const usdcPaymasterAndData = (
  verificationGas = 120_000n,
  postOpGas = 40_000n,
  { usdc, paymaster }: Pick<TestChain, 'usdc' | 'paymaster'> = onBase,
  maximum = 10_000_000n,
): Hex => concatHex([paymaster, pair(verificationGas, postOpGas), grantOf(usdc, maximum)]);

/** The same with another maximum. */
export const granting = (maximum: bigint): Pick<PackedUserOperation, 'paymasterAndData'> => ({
  paymasterAndData: usdcPaymasterAndData(undefined, undefined, undefined, maximum),
});

export interface Limits {
  readonly verification?: bigint;
  readonly call?: bigint;
  readonly validator?: Address;
}

export async function buildUserOp(
  chain: TestChain,
  sender: Address,
  callData: Hex,
  overrides: Partial<PackedUserOperation> = {},
  limits: Limits = {},
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
    paymasterAndData: usdcPaymasterAndData(undefined, undefined, chain),
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

/** Build and sign an operation of the signer's own account. */
export const signedOp = async (
  chain: TestChain,
  signer: PrivateKeyAccount,
  callData: Hex,
  overrides: Partial<PackedUserOperation> = {},
  limits: Limits = {},
): Promise<PackedUserOperation> =>
  signUserOp(chain, signer, await buildUserOp(chain, signer.address, callData, overrides, limits));
