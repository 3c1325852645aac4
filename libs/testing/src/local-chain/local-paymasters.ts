import { canonical, chainFacts, entryPointV08Abi } from '@yield-vault/contracts';
import {
  concat,
  concatHex,
  encodeDeployData,
  encodeFunctionData,
  encodePacked,
  getContractAddress,
  numberToHex,
  parseAbi,
  parseEther,
  zeroHash,
  type Address,
  type Hex,
  type LocalAccount,
} from 'viem';
import type { UserOperation } from 'viem/account-abstraction';
import {
  localCirclePaymasterAbi,
  localCirclePaymasterDeployedBytecode,
} from '../generated/LocalCirclePaymaster.js';
import {
  localServicePaymasterAbi,
  localServicePaymasterBytecode,
} from '../generated/LocalServicePaymaster.js';
import { ofLocalChains, type LocalChainId } from './local-chain.js';
import { asLocalOperator, sendAsLocalOperator, type LocalNode } from './local-node.js';

/** Terms of Circle's paymaster on each chain, as of 2026: the spread is taken on rollups. */
export const localCircleTerms = ofLocalChains((chainId) => ({
  additionalGasCharge: 35_000n,
  feeSpreadBps: chainFacts(chainId).sequencerFeed ? 1_000n : 0n,
}));

/**
 * Put a stand-in for Circle's paymaster at Circle's address on a provisioned local chain, funded and staked at its
 * entry point, which has to be there.
 *
 * @param node A client of an Anvil chain without another user of the local operator.
 * @returns Its address.
 */
export async function placeLocalCirclePaymaster(node: LocalNode, chainId: LocalChainId): Promise<Address> {
  const { usdc, wrappedNative, circlePaymaster: address } = chainFacts(chainId);
  if (!address) throw new Error(`Circle has no paymaster on chain ${chainId}`);
  const { additionalGasCharge, feeSpreadBps } = localCircleTerms[chainId];
  const configure = encodeFunctionData({
    abi: localCirclePaymasterAbi,
    functionName: 'configure',
    args: [usdc.address, wrappedNative.price.feed, additionalGasCharge, feeSpreadBps],
  });
  await node.request({ method: 'anvil_setCode', params: [address, localCirclePaymasterDeployedBytecode] });
  await asLocalOperator(node, async () => {
    await sendAsLocalOperator(node, address, configure);
    await fundPaymaster(node, address);
  });
  return address;
}

/**
 * Deploy a paymaster that pays for what a service has signed, funded and staked at its entry point, which has to be
 * there.
 *
 * @param node A client of an Anvil chain without another user of the local operator.
 * @param service Address of the key that the service signs with.
 * @returns Its address.
 */
export async function deployLocalServicePaymaster(
  node: LocalNode,
  chainId: LocalChainId,
  service: Address,
): Promise<Address> {
  const bytecode = encodeDeployData({
    abi: localServicePaymasterAbi,
    bytecode: localServicePaymasterBytecode,
    args: [canonical.entryPointV08, chainFacts(chainId).usdc.address, service],
  });
  const from = canonical.create2Deployer;
  const address = getContractAddress({ opcode: 'CREATE2', from, salt: zeroHash, bytecode });
  await asLocalOperator(node, async () => {
    await sendAsLocalOperator(node, from, concat([zeroHash, bytecode]));
    await fundPaymaster(node, address);
  });
  return address;
}

/** Terms that a service approves besides the operation itself. */
export interface LocalServiceApproval {
  readonly chainId: number;
  readonly paymaster: Address;
  /** Unix seconds; the last second in which the entry point accepts the operation. */
  readonly validUntil: number;
  /** Unix seconds; 0 by default. */
  readonly validAfter?: number;
  /** Base units of USDC for one ether; 0, the default, takes nothing. */
  readonly tokenPerNative?: bigint;
}

const types = {
  Approval: [
    { name: 'sender', type: 'address' },
    { name: 'nonce', type: 'uint256' },
    { name: 'callData', type: 'bytes' },
    { name: 'accountGasLimits', type: 'bytes32' },
    { name: 'preVerificationGas', type: 'uint256' },
    { name: 'gasFees', type: 'bytes32' },
    { name: 'paymasterVerificationGasLimit', type: 'uint256' },
    { name: 'paymasterPostOpGasLimit', type: 'uint256' },
    { name: 'validUntil', type: 'uint48' },
    { name: 'validAfter', type: 'uint48' },
    { name: 'tokenPerNative', type: 'uint128' },
  ],
} as const;

/**
 * Sign an operation for the paymaster of `deployLocalServicePaymaster`, as its service does.
 *
 * @param operation With its final gas limits and fees: the signature binds them.
 * @returns The `paymasterData`, 93 bytes.
 */
export async function signLocalServicePaymaster(
  service: LocalAccount,
  operation: UserOperation<'0.8'>,
  { chainId, paymaster, validUntil, validAfter = 0, tokenPerNative = 0n }: LocalServiceApproval,
): Promise<Hex> {
  const signature = await service.signTypedData({
    domain: { name: 'LocalServicePaymaster', version: '1', chainId, verifyingContract: paymaster },
    types,
    primaryType: 'Approval',
    message: {
      sender: operation.sender,
      nonce: operation.nonce,
      callData: operation.callData,
      accountGasLimits: pair(operation.verificationGasLimit, operation.callGasLimit),
      preVerificationGas: operation.preVerificationGas,
      gasFees: pair(operation.maxPriorityFeePerGas, operation.maxFeePerGas),
      paymasterVerificationGasLimit: operation.paymasterVerificationGasLimit ?? 0n,
      paymasterPostOpGasLimit: operation.paymasterPostOpGasLimit ?? 0n,
      validUntil,
      validAfter,
      tokenPerNative,
    },
  });
  return encodePacked(
    ['uint48', 'uint48', 'uint128', 'bytes'],
    [validUntil, validAfter, tokenPerNative, signature],
  );
}

function pair(high: bigint, low: bigint): Hex {
  return concatHex([numberToHex(high, { size: 16 }), numberToHex(low, { size: 16 })]);
}

const depositWei = parseEther('1000');
const stakeWei = parseEther('10');
const unstakeDelaySeconds = 86_400;

// Local paymasters take a stake from anybody.
const stakeAbi = parseAbi(['function addStake(uint32 unstakeDelaySeconds) payable']);

/** Give a local paymaster a deposit and a stake at its entry point, out of the local operator's ether. */
async function fundPaymaster(node: LocalNode, paymaster: Address): Promise<void> {
  const deposit = encodeFunctionData({
    abi: entryPointV08Abi,
    functionName: 'depositTo',
    args: [paymaster],
  });
  await sendAsLocalOperator(node, canonical.entryPointV08, deposit, depositWei);
  const stake = encodeFunctionData({
    abi: stakeAbi,
    functionName: 'addStake',
    args: [unstakeDelaySeconds],
  });
  await sendAsLocalOperator(node, paymaster, stake, stakeWei);
}
