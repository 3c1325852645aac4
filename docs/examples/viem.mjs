// From an empty wallet to a redeemed position with viem alone; docs/rest.md explains each step.
// Node 20.19 or later: npm install viem && node viem.mjs
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createPublicClient,
  encodeAbiParameters,
  encodeFunctionData,
  encodePacked,
  erc4626Abi,
  http,
  keccak256,
  maxUint256,
  parseAbi,
  parseAbiParameters,
  slice,
} from 'viem';
import { entryPoint08Abi, getUserOperationHash } from 'viem/account-abstraction';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

const url = process.env.YIELD_VAULT_URL ?? 'http://127.0.0.1:3000';
const wallet = privateKeyToAccount(process.env.PRIVATE_KEY ?? generatePrivateKey());

// From docs/addresses.md, not from the service. Each operator has its own paymaster; this is the local one.
const chainId = 8453;
const entryPoint = '0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108';
const account = '0xb4389045AaCB96F0290A400f8b561EC830E25AA3';
const validator = '0xa7a891bE7f0b2913bA483b7356CF8dF130bC276D';
const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const paymaster = process.env.PAYMASTER ?? '0x35CF13F5B00aAeAA13cc34f5F81533b95c277001';
const maxGasUsdc = 5_000_000n; // base units
// Vaults that you trust, by their issuers or your own research. These two are local.
const trustedVaults = [
  '0x233a8f7DB283e566A82D9A3a7C2Ea234cfbfF0b6',
  '0x4791cb70E233BD6120b81e1dB416589E38B1843C',
];

async function call(path, body) {
  const post = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
  for (let attempts = 1; ; attempts++) {
    const response = await fetch(url + path, body ? post : {});
    const result = await response.json();
    if (response.ok) return result;
    if (!result.retryable || attempts === 60)
      throw new Error(`${result.code}: ${result.detail} ${result.nextAction}`);
    await sleep(1000 * (Number(response.headers.get('retry-after')) || 1));
  }
}

function choose(vaults) {
  const vault = vaults.find(({ vaultAddress }) => trustedVaults.includes(vaultAddress));
  if (!vault) throw new Error('Discover returns no vault of trustedVaults.');
  return vault;
}

// Rebuilds the operation from what you expect, as docs/bytes.md says, and refuses an envelope with another root.
function check({ userOps, expiry, merkleRoot }, { hook, vault, amount, minimum, nonce }) {
  const [{ userOperation, eip7702Auth }] = userOps;
  const { callData, paymasterAndData, ...gas } = userOperation;
  const minOut = BigInt(slice(callData, 141, 173));
  const grant = BigInt(slice(paymasterAndData, 76, 88));
  if (minOut < minimum || grant > maxGasUsdc || expiry > Date.now() / 1000 + 900)
    throw new Error(`Do not sign: minimum ${minOut}, gas ${grant} or expiry ${expiry} is out of bounds.`);

  const record = encodePacked(
    ['bytes1', 'address', 'address', 'uint256', 'uint256'],
    [hook, vault, usdc, amount, minOut],
  );
  const abi = parseAbi(['function runHooks(bytes)']);
  const userOpHash = getUserOperationHash({
    chainId,
    entryPointAddress: entryPoint,
    entryPointVersion: '0.8',
    userOperation: {
      sender: wallet.address,
      nonce,
      callData: encodeFunctionData({ abi, args: [record] }),
      callGasLimit: gas.callGasLimit,
      verificationGasLimit: gas.verificationGasLimit,
      preVerificationGas: gas.preVerificationGas,
      maxFeePerGas: gas.maxFeePerGas,
      maxPriorityFeePerGas: gas.maxPriorityFeePerGas,
      paymaster,
      paymasterVerificationGasLimit: slice(paymasterAndData, 20, 36),
      paymasterPostOpGasLimit: slice(paymasterAndData, 36, 52),
      paymasterData: encodePacked(['bytes4', 'address', 'uint96'], ['0xe3d5260b', usdc, grant]),
      ...(eip7702Auth && { factory: '0x7702', authorization: { address: account } }),
    },
  });
  const leaf = encodeAbiParameters(parseAbiParameters('bytes32, uint48, uint48, address'), [
    userOpHash,
    expiry,
    0,
    validator,
  ]);
  const root = keccak256(keccak256(leaf));
  if (root !== merkleRoot) throw new Error('Do not sign: the envelope is not the requested operation.');
  return {
    domain: { name: 'YieldVaultIntent', version: '1', chainId, verifyingContract: validator },
    primaryType: 'Intent',
    types: {
      Intent: parseAbiParameters('bytes32 merkleRoot, uint256 chainId, uint48 expiry, uint48 validAfter'),
    },
    message: { merkleRoot: root, chainId, expiry, validAfter: 0 },
  };
}

async function signAuthorization({ authorization: { nonce } }) {
  const { yParity, r, s } = await wallet.signAuthorization({ contractAddress: account, chainId, nonce });
  return { authorization: { address: account, chainId, nonce, yParity, r, s } };
}

async function execute({ intentEnvelope, summary }, expected) {
  // From your node: of two intents with one nonce, the chain executes one.
  const nonce = await node.readContract({
    address: entryPoint,
    abi: entryPoint08Abi,
    functionName: 'getNonce',
    args: [wallet.address, BigInt(validator) << 32n],
  });
  const intentSignature = await wallet.signTypedData(check(intentEnvelope, { ...expected, nonce }));
  console.log(summary);
  const { result, txHash, positionUpdate } = await call('/v1/yield/execute', {
    intentEnvelope,
    intentSignature,
  });
  console.log({ result, txHash, ...positionUpdate });
}

// The flow
// The node is your own. Test forks have a public one.
const rpc =
  process.env.BASE_RPC_URL ??
  (await call('/v1/testing/fork-status')).primaryForks.find(({ chain }) => chain === 'base').rpcUrl;
const node = createPublicClient({ transport: http(rpc) });

const { vaults } = await call('/v1/yield/discover', { chain: 'base', asset: 'USDC' });
const { vaultId, vaultAddress: vault } = choose(vaults);
const position = { chain: 'base', agentAddress: wallet.address, vaultId };
await call('/v1/testing/fund-wallet', {
  chain: 'base',
  walletAddress: wallet.address,
  usdcAmount: '50000000',
});

const deposit = { ...position, asset: 'USDC', amount: '25' };
const prepared = await call('/v1/yield/prepare', deposit);
const { execution } = prepared.needsSetup
  ? await call('/v1/yield/gasless-setup', { ...deposit, ...(await signAuthorization(prepared.gaslessSetup)) })
  : prepared;
const preview = { address: vault, abi: erc4626Abi, functionName: 'previewDeposit', args: [25_000_000n] };
const minimum = ((await node.readContract(preview)) * 99n) / 100n;
await execute(execution, { hook: '0x81', vault, amount: 25_000_000n, minimum });

const positions = () => call(`/v1/yield/status?userAddress=${wallet.address}`);
console.log(await positions());

const redeem = await call('/v1/yield/prepare', { operation: 'redeem', ...position, percentage: 100 });
await execute(redeem.execution, { hook: '0x02', vault, amount: maxUint256, minimum: 24_000_000n });
console.log(await positions());
