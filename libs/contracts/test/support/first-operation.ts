import { type Hex, type PrivateKeyAccount, hashTypedData, pad } from 'viem';
import { type Limits, type PackedUserOperation, buildUserOp, signHash } from './account.js';
import { bundle } from './bundle.js';
import { type TestChain, entryPoint, localContracts, operator } from './chain.js';

const types = {
  PackedUserOperation: [
    { name: 'sender', type: 'address' },
    { name: 'nonce', type: 'uint256' },
    { name: 'initCode', type: 'bytes' },
    { name: 'callData', type: 'bytes' },
    { name: 'accountGasLimits', type: 'bytes32' },
    { name: 'preVerificationGas', type: 'uint256' },
    { name: 'gasFees', type: 'bytes32' },
    { name: 'paymasterAndData', type: 'bytes' },
  ],
} as const;

/** The first operation of a wallet, signed: it delegates to our account. */
export async function signFirstOperation(
  chain: TestChain,
  agent: PrivateKeyAccount,
  callData: Hex,
  overrides: Partial<PackedUserOperation> = {},
  limits: Limits = {},
) {
  const initCode = pad('0x7702', { dir: 'right', size: 20 });
  const userOp = await buildUserOp(chain, agent.address, callData, { initCode, ...overrides }, limits);
  // The entry point hashes the delegation in the place of the marker.
  const hash = hashTypedData({
    domain: { name: 'ERC4337', version: '1', chainId: chain.chainId, verifyingContract: entryPoint },
    types,
    primaryType: 'PackedUserOperation',
    message: { ...userOp, initCode: localContracts.account },
  });
  return { userOp: { ...userOp, signature: await signHash(chain, agent, hash) }, hash };
}

/** Bundle the first operation of a wallet with its authorization. */
export async function sendFirstOperation(
  chain: TestChain,
  agent: PrivateKeyAccount,
  ...operation: readonly [callData: Hex, overrides?: Partial<PackedUserOperation>, limits?: Limits]
) {
  const { userOp, hash } = await signFirstOperation(chain, agent, ...operation);
  const authorization = await agent.signAuthorization({
    contractAddress: localContracts.account,
    chainId: chain.chainId,
    nonce: 0,
  });
  const { receipt, outcomes } = await bundle(chain, operator, [userOp], {
    authorizationList: [authorization],
  });
  return { receipt, userOp, hash, outcome: outcomes[0] };
}
