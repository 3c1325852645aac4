// From an empty wallet to a redeemed position with viem alone; docs/rest.md explains each step.
// Node 20.19 or later: npm install viem && node viem.mjs
import { setTimeout as sleep } from 'node:timers/promises';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

const url = process.env.YIELD_VAULT_URL ?? 'http://127.0.0.1:3000';
const wallet = privateKeyToAccount(process.env.PRIVATE_KEY ?? generatePrivateKey());

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

async function signSetup({ authorization, permit }) {
  const signed = permit ? { permitSignature: await wallet.signTypedData(permit) } : {};
  if (!authorization) return signed;
  const { contractAddress: address, chainId, nonce } = authorization;
  const { yParity, r, s } = await wallet.signAuthorization({ contractAddress: address, chainId, nonce });
  return { ...signed, authorization: { address, chainId, nonce, yParity, r, s } };
}

async function execute({ intentEnvelope, summary }) {
  console.log(summary);
  const intentSignature = await wallet.signTypedData(intentEnvelope.signing);
  const { result, txHash, positionUpdate } = await call('/v1/yield/execute', {
    intentEnvelope,
    intentSignature,
  });
  console.log({ result, txHash, ...positionUpdate });
}

const { vaults } = await call('/v1/yield/discover', { chain: 'base', asset: 'USDC', limit: 1 });
const position = { chain: 'base', agentAddress: wallet.address, vaultId: vaults[0].vaultId };
await call('/v1/testing/fund-wallet', {
  chain: 'base',
  walletAddress: wallet.address,
  usdcAmount: '50000000',
});

const deposit = { ...position, asset: 'USDC', amount: '25' };
const prepared = await call('/v1/yield/prepare', deposit);
const { execution } = prepared.needsSetup
  ? await call('/v1/yield/gasless-setup', { ...deposit, ...(await signSetup(prepared.gaslessSetup)) })
  : prepared;
await execute(execution);

const positions = () => call(`/v1/yield/status?userAddress=${wallet.address}`);
console.log(await positions());

const redeem = await call('/v1/yield/prepare', { operation: 'redeem', ...position, percentage: 100 });
await execute(redeem.execution);
console.log(await positions());
