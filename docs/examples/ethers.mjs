// From an empty wallet to a redeemed position with ethers 6.17 alone; docs/rest.md explains each step.
// Node 20.19 or later: npm install ethers@6.17.0 && node ethers.mjs
import { setTimeout as sleep } from 'node:timers/promises';
import { AbiCoder, TypedDataEncoder, Wallet, concat, keccak256, toBeHex } from 'ethers';

const url = process.env.YIELD_VAULT_URL ?? 'http://127.0.0.1:3000';
const wallet = process.env.PRIVATE_KEY ? new Wallet(process.env.PRIVATE_KEY) : Wallet.createRandom();

async function call(path, body) {
  const post = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
  for (;;) {
    const response = await fetch(url + path, body ? post : {});
    const result = await response.json();
    if (response.ok) return result;
    if (!result.retryable) throw new Error(`${result.code}: ${result.detail} ${result.nextAction}`);
    await sleep(1000 * Number(response.headers.get('retry-after') ?? 1));
  }
}

// 1. Find a vault
const { vaults } = await call('/v1/yield/discover', { chain: 'base', asset: 'USDC', limit: 1 });
const [vault] = vaults;

// 2. Fund the wallet
await call('/v1/testing/fund-wallet', {
  chain: 'base',
  walletAddress: wallet.address,
  usdcAmount: '50000000',
});

// 3. Prepare a deposit
const deposit = {
  chain: 'base',
  agentAddress: wallet.address,
  vaultId: vault.vaultId,
  asset: 'USDC',
  amount: '25',
};
const prepared = await call('/v1/yield/prepare', deposit);

// 4. Sign the setup
async function signSetup({ authorization, permit }) {
  const { domain, types, message } = permit;
  const permitSignature = await wallet.signTypedData(domain, types, message);
  if (!authorization) return { permitSignature };
  const { contractAddress: address, chainId, nonce } = authorization;
  const { yParity, r, s } = (await wallet.authorize({ address, chainId, nonce })).signature;
  return { permitSignature, authorization: { address, chainId, nonce, yParity, r, s } };
}
const { execution } = prepared.needsSetup
  ? await call('/v1/yield/gasless-setup', { ...deposit, ...(await signSetup(prepared.gaslessSetup)) })
  : prepared;

// 5. Check what the signature covers
const types = {
  PackedUserOperation: [
    { type: 'address', name: 'sender' },
    { type: 'uint256', name: 'nonce' },
    { type: 'bytes', name: 'initCode' },
    { type: 'bytes', name: 'callData' },
    { type: 'bytes32', name: 'accountGasLimits' },
    { type: 'uint256', name: 'preVerificationGas' },
    { type: 'bytes32', name: 'gasFees' },
    { type: 'bytes', name: 'paymasterAndData' },
  ],
};
const packed = (high, low) => concat([toBeHex(high, 16), toBeHex(low, 16)]);
function rootOf({ entryPoint, chainId, userOps, expiry, validAfter, signing }) {
  const [{ userOperation, eip7702Auth }] = userOps;
  const domain = { name: 'ERC4337', version: '1', chainId, verifyingContract: entryPoint };
  const userOpHash = TypedDataEncoder.hash(domain, types, {
    ...userOperation,
    initCode: eip7702Auth?.address ?? userOperation.initCode,
    accountGasLimits: packed(userOperation.verificationGasLimit, userOperation.callGasLimit),
    gasFees: packed(userOperation.maxPriorityFeePerGas, userOperation.maxFeePerGas),
  });
  const leaf = AbiCoder.defaultAbiCoder().encode(
    ['bytes32', 'uint48', 'uint48', 'address'],
    [userOpHash, expiry, validAfter, signing.domain.verifyingContract],
  );
  return keccak256(keccak256(leaf));
}

// 6. Sign and execute
async function execute({ intentEnvelope, summary }) {
  const { signing, merkleRoot } = intentEnvelope;
  console.log(summary);
  if (rootOf(intentEnvelope) !== signing.message.merkleRoot) throw new Error('The envelope was changed.');
  const { domain, types, message } = signing;
  const intentSignature = await wallet.signTypedData(domain, types, message);
  await call('/v1/yield/execute', { intentEnvelope, intentSignature });
  return call(`/v1/yield/intents/${merkleRoot}`);
}
console.log(await execute(execution));

// 7. Read the position
const positions = () => call(`/v1/yield/status?userAddress=${wallet.address}`);
console.log(await positions());

// 8. Redeem
const redeem = { operation: 'redeem', chain: 'base', agentAddress: wallet.address, vaultId: vault.vaultId };
const redeeming = await call('/v1/yield/prepare', { ...redeem, percentage: 100 });
console.log(await execute(redeeming.execution));
console.log(await positions());
