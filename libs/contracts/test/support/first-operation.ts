import { type Hex, type PrivateKeyAccount, concatHex, hashTypedData, pad } from 'viem';
import { entryPointV08Abi } from '../../src/generated/EntryPointV08.js';
import { buildUserOp, signHash, usdcPaymasterAndData } from './account.js';
import { type TestChain, entryPoint, localContracts, operator } from './chain.js';
import { encode } from './calls.js';
import { permitData, signPermit } from './paymaster.js';

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

/** Bundle the first operation of a wallet: it delegates, and a permit of `value` pays for it. */
export async function sendFirstOperation(
  chain: TestChain,
  agent: PrivateKeyAccount,
  callData: Hex,
  value: bigint,
) {
  const permit = permitData(chain, value, await signPermit(chain, agent, value));
  const userOp = await buildUserOp(chain, agent.address, callData, {
    initCode: pad('0x7702', { dir: 'right', size: 20 }),
    paymasterAndData: concatHex([usdcPaymasterAndData(250_000n), permit]),
  });
  const authorization = await chain
    .walletOf(agent)
    .signAuthorization({ contractAddress: localContracts.account });
  // The entry point hashes the delegation in the place of the marker.
  const hash = hashTypedData({
    domain: { name: 'ERC4337', version: '1', chainId: chain.chainId, verifyingContract: entryPoint },
    types,
    primaryType: 'PackedUserOperation',
    message: { ...userOp, initCode: localContracts.account },
  });
  const signed = { ...userOp, signature: await signHash(chain, agent, hash) };
  const receipt = await chain.mined(
    chain.wallet.sendTransaction({
      authorizationList: [authorization],
      to: entryPoint,
      data: encode(entryPointV08Abi, 'handleOps', [[signed], operator.address]),
      gas: 2_000_000n,
    }),
  );
  return { receipt, userOp, hash };
}
