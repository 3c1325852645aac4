import { type Address, type Hex, type PrivateKeyAccount, hashTypedData, pad } from 'viem';
import { buildUserOp, signHash } from './account.js';
import { bundle } from './bundle.js';
import { type TestChain, entryPoint, localContracts, operator } from './chain.js';
import { withPermit } from './paymaster.js';

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

/** The first operation of a wallet, signed: it delegates to `implementation`, and a permit of `value` pays for it. */
export async function signFirstOperation(
  chain: TestChain,
  agent: PrivateKeyAccount,
  callData: Hex,
  value: bigint,
  implementation: Address = localContracts.account,
) {
  const userOp = await buildUserOp(chain, agent.address, callData, {
    initCode: pad('0x7702', { dir: 'right', size: 20 }),
    ...(await withPermit(chain, agent, value)),
  });
  // The entry point hashes the delegation in the place of the marker.
  const hash = hashTypedData({
    domain: { name: 'ERC4337', version: '1', chainId: chain.chainId, verifyingContract: entryPoint },
    types,
    primaryType: 'PackedUserOperation',
    message: { ...userOp, initCode: implementation },
  });
  return { userOp: { ...userOp, signature: await signHash(chain, agent, hash) }, hash };
}

/** Bundle the first operation of a wallet with its authorization. */
export async function sendFirstOperation(
  chain: TestChain,
  agent: PrivateKeyAccount,
  callData: Hex,
  value: bigint,
) {
  const { userOp, hash } = await signFirstOperation(chain, agent, callData, value);
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
